#pragma once

#include <functional>
#include <optional>

#include "core/runtime/module_cache.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {

/// What a worker or evaluator has gathered so far for an evaluation, and how it waits for more.
struct Gathering {
  ModuleCache& modules;
  Evaluate& request;                         ///< where things are may change while it waits
  std::optional<PathStateBody>& fetched;     ///< the answer to FetchPathState
  bool& state_unasked;                       ///< set where that answer will not come
  std::function<bool()> over;                ///< Goodbye has come, or something else to do
  std::function<void(Seconds)> receive_one;  ///< takes one message into these, if one comes in time
};

/// Scores one path's validation documents, as workers and evaluators do: gathers its modules and path-specific part at
/// the version asked for, scores, answers the coordinator.
void evaluate_path(const RunPlan& plan, Seams seams, const Gathering& gathering);

}  // namespace dipaco
