#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/events/events.hpp"
#include "core/events/traffic.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/report/report.hpp"
#include "core/roles/roles.hpp"

namespace dipaco {

struct LoopbackOptions {
  std::int32_t workers = 2;
  std::int32_t executors = 1;
  std::int32_t evaluators = 0;
  std::int32_t stores = 1;
  std::filesystem::path state;  ///< folder of the nodes' files, one each; empty: they are kept in memory
  std::function<void(const RunProgress&)> progress;  ///< called on the coordinator's thread
  std::function<void(const std::string&)> note{};    ///< what a person should know, on the coordinator's thread
  const std::atomic<bool>* stop = nullptr;           ///< ends the run early once true
  FaultPlan faults{};                                ///< beside those of the run file
  /// Time is LoopbackClock's: it passes by itself where all nodes wait, and by `test_step` for an inner step.
  bool test_clock = false;
  Seconds test_step{1};
};

struct LoopbackRun {
  RunResult result;
  Seconds ended{};  ///< on the run's clock
  std::vector<Event> events;
  Traffic traffic;
  std::vector<NodeFacts> nodes;
  bool stopped = false;                        ///< by `stop`: the result is not there
  FaultPlan never_struck{};                    ///< faults whose moment did not come
  std::optional<std::int32_t> resumed_from{};  ///< where `state` held a run: outer steps that all its paths had done
};

/// Runs all roles in this process, a thread each, over the loopback versions of the seams, at one site. The nodes are
/// the coordinator, stores, executors, workers, evaluators, in this order. A node that a fault ends begins anew, with
/// its storage, on the same thread.
/// @throws what a role threw first, after all threads have ended, a RunError as EndedEarly<LoopbackRun>; ConfigError
///         where a fault names a node that is not there; RunError with status 5 where a fault ends the coordinator for
///         good, with status 4 where all nodes wait for each other for ever (on the test's clock)
LoopbackRun run_loopback(const RunPlan& plan, const LoopbackOptions& options);

}  // namespace dipaco
