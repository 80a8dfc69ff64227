#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "backends/gloo/run.hpp"
#include "core/preflight/measures.hpp"

namespace dipaco {

/// How this process's part of a preflight ended.
struct GlooPreflight {
  std::optional<NetworkMeasures> measures;  ///< the coordinator's
  bool stopped = false;
};

/// This process's part of a preflight, on links as in a run of these options: all of its roles are one node.
/// @param processes  in all; the coordinator waits for so many
/// @param tell       how far it is, at the coordinator
/// @throws RunError (core/preflight/preflight.hpp), or with the status that the coordinator's refusal is worth
GlooPreflight preflight_gloo(const GlooOptions& options, std::int32_t processes,
                             const std::function<void(const std::string&)>& tell);

}  // namespace dipaco
