#pragma once

#include <functional>
#include <optional>

#include "core/runtime/module_cache.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {

/// Tells the coordinator that this node is there.
void say_hello(const RunPlan& plan, Seams seams, const NodeSelf& self);

/// Scores one path's validation documents, as workers and evaluators do: gathers its modules and path-specific part at
/// the version asked for, scores, answers the coordinator.
/// @param receive_one  takes one message into `modules`, `fetched` or `finished`; false after the timeout
void evaluate_path(const RunPlan& plan, Seams seams, const Evaluate& request, ModuleCache& modules,
                   const std::function<bool(Seconds)>& receive_one, std::optional<PathStateBody>& fetched,
                   const bool& finished);

}  // namespace dipaco
