#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "core/roles/module_cache.hpp"
#include "core/roles/roles.hpp"
#include "core/roles/shard_cache.hpp"

namespace dipaco {

/// What a worker or evaluator has gathered so far for an evaluation, and how it waits for more.
struct Gathering {
  ModuleCache& modules;
  ShardCache& shards;
  Evaluate& request;                         ///< where things are may change while it waits
  std::optional<PathStateBody>& fetched;     ///< the answer to FetchPathState
  bool& state_unasked;                       ///< set where that answer will not come
  std::function<bool()> over;                ///< Goodbye has come, or something else to do
  std::function<void(Seconds)> receive_one;  ///< takes one message into these, if one comes in time
};

/// Scores documents under one path, as workers and evaluators do: gathers its modules and path-specific part at the
/// version asked for, scores, answers the coordinator.
void evaluate_path(const RunPlan& plan, Seams seams, const Gathering& gathering);

/// Whether it is the same evaluation once more: where things are may differ.
inline bool same_evaluation(const Evaluate& a, const Evaluate& b) {
  return a.path == b.path && a.version == b.version && a.purpose == b.purpose;
}

// The other jobs: what they need comes with the request. Each answers the coordinator, or nothing where a notice came
// first.
void fit_router(const RunPlan& plan, Seams seams, const FitRouter& request);
void route_documents(const RunPlan& plan, Seams seams, const RouteDocuments& request);

/// Of a worker or evaluator that has a notice: the coordinator gives its job to another, and it nothing more. Without
/// this it would wait for an answer until the node is gone.
void say_leaving(Seams seams);

/// What a worker or evaluator is asked to do beside training.
using JobRequest = std::variant<Evaluate, FitRouter, RouteDocuments>;

/// Does it. @param evaluate  how this node does an evaluation
void do_job(const RunPlan& plan, Seams seams, const JobRequest& job,
            const std::function<void(const Evaluate&)>& evaluate);

}  // namespace dipaco
