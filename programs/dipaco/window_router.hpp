#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "programs/dipaco/run_data.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

/// How the transformer router of a run is fine-tuned (§7.2.2).
struct WindowRouterOptions {
  std::int64_t look_ahead = 0;  ///< L, tokens that a target looks ahead
  std::int64_t steps = 2000;    ///< router steps; the paper's converges in about so many
  int threads = 1;              ///< changes no bit
};

/// Where a router made with these options for these modules is kept: model/transformer_router-HASH.
std::filesystem::path window_router_file(const LoadedRun& loaded, const WindowRouterOptions& options);

/// The parameters of the transformer router: read from its file, or fine-tuned from the dense start on the router
/// documents, and kept. One router serves every window.
/// @throws DataError where the file is damaged or another router's, or where training diverges; Interrupted between two
///         slices of its steps, or two paths, once `stop` is set
std::vector<float> window_router(const LoadedRun& loaded, const WindowRouterOptions& options, Progress& progress,
                                 const StopSignal& stop);

}  // namespace dipaco
