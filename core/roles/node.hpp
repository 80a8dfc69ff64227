#pragma once

#include <optional>

#include "core/roles/roles.hpp"
#include "core/roles/supplies/supplies.hpp"

namespace dipaco {

/// An evaluation that a worker or evaluator is asked for, and how it gathers what that needs.
struct Gathering {
  const Evaluate& request;  ///< where things are may change while it waits
  Supplies& supplies;
  Waiting waiting;
};

/// Scores documents under one path, as workers and evaluators do: gathers its modules and path-specific part at the
/// version asked for, scores, answers the coordinator.
/// @returns the answer; nullopt where it is over before or a notice comes first: then there is none
std::optional<Evaluated> evaluate_path(const RunPlan& plan, Seams seams, const Gathering& gathering);

/// Whether it is the same job once more: where things are may differ.
inline bool is_same(const Evaluate& a, const Evaluate& b) {
  return a.path == b.path && a.version == b.version && a.purpose == b.purpose;
}

// The other jobs: what they need comes with the request. Each answers the coordinator, or nothing where a notice came
// first.
void fit_router(const RunPlan& plan, Seams seams, const FitRouter& request);
void route_documents(const RunPlan& plan, Seams seams, const RouteDocuments& request);

/// Of a worker or evaluator that has a notice: the coordinator gives its job to another, and it nothing more. Without
/// this it would wait for an answer until the node is gone.
void say_leaving(Seams seams);

}  // namespace dipaco
