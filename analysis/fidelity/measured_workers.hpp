#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/run_files.hpp"

namespace dipaco::analysis {

/// What runs say of a worker: the n-th of its site, in the order of nodes.
struct MeasuredWorker {
  std::string site;
  std::int64_t number = 0;       ///< among the workers of its site, from 0
  double step_time = 0;          ///< seconds of an inner step: the median of its tasks
  std::optional<double> jitter;  ///< standard deviation of the logarithm of a task's time; nullopt: too few tasks
  std::optional<double> commit;  ///< seconds until stores had a task's state: the mean; nullopt: it committed none
  std::int64_t tasks = 0;        ///< that step_time and jitter are known of
};

/// Fewer tasks say nothing of their spread.
inline constexpr std::int64_t kTasksForJitter = 5;

/// Of workers that did inner steps, by site and number. Runs are of the same processes, in the same order.
/// @throws DataError where two runs have other sites or other numbers of workers at them
std::vector<MeasuredWorker> measured_workers(std::span<const Run> runs);

/// Bytes of a path state on its way to a store: the mean. nullopt where there was none.
std::optional<double> bytes_of_put(const Run& run);

}  // namespace dipaco::analysis
