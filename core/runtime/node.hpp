#pragma once

#include <functional>
#include <optional>

#include "core/runtime/module_cache.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {

/// Tells the coordinator that this node is there.
void say_hello(const RunPlan& plan, Seams seams, const NodeSelf& self);

/// What a worker or evaluator has gathered so far, and how it waits for more.
struct Gathering {
  ModuleCache& modules;
  std::optional<PathStateBody>& fetched;     ///< the answer to FetchPathState
  const bool& finished;                      ///< Finish has come
  std::function<bool(Seconds)> receive_one;  ///< takes one message into these; false after the timeout
};

/// Scores one path's validation documents, as workers and evaluators do: gathers its modules and path-specific part at
/// the version asked for, scores, answers the coordinator.
void evaluate_path(const RunPlan& plan, Seams seams, const Evaluate& request, const Gathering& gathering);

}  // namespace dipaco
