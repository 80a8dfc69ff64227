#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "core/log/events.hpp"
#include "core/log/report.hpp"
#include "core/log/traffic.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {

struct LoopbackOptions {
  std::int32_t workers = 2;
  std::int32_t executors = 1;
  std::int32_t evaluators = 0;
  std::filesystem::path state;  ///< folder of the stores' and executors' files; empty: they are kept in memory
  std::function<void(const RunProgress&)> progress;  ///< called on the coordinator's thread
  const std::atomic<bool>* stop = nullptr;           ///< ends the run early once true
};

struct LoopbackRun {
  RunResult result;
  std::vector<Event> events;
  Traffic traffic;
  std::vector<NodeFacts> nodes;
  bool stopped = false;  ///< by `stop`: the result is not there
};

/// Runs all roles in this process, a thread each, over the loopback versions of the seams: one site, one store.
/// @throws what a role threw first, after all threads have ended
LoopbackRun run_loopback(const RunPlan& plan, const LoopbackOptions& options);

}  // namespace dipaco
