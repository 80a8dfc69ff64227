#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/plan/plan.hpp"

namespace dipaco {

/// What a replay came to.
struct ReplayEnd {
  std::string parameters_hash;
  std::int64_t tasks = 0;
  std::int64_t versions = 0;  ///< of shared modules
};

/// Called after each task; what it throws ends the replay.
using ReplayProgress = std::function<void(std::int64_t done, std::int64_t all)>;

/// Computes again what a run without rounds came to, on one thread: each task from the versions that it began with,
/// each version from the contributions that it has, by the worker's and the executor's own code. So a run of processes,
/// whose parameters follow from who came first, can be checked to the bit.
/// @param plan    the run's; REQUIRES that something is learned
/// @param order   of its model/order
/// @param source  of that file, for errors
/// @throws DataError where the order is damaged, lacks something, or does not fit the plan; ConfigError where the
///         run was one in rounds
ReplayEnd replay(const RunPlan& plan, std::span<const std::byte> order, const std::string& source,
                 const ReplayProgress& progress = {});

}  // namespace dipaco
