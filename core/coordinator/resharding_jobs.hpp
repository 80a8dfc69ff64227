#pragma once

#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/job_giving.hpp"
#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Takes the answers to the jobs of a re-sharding, wants what comes next, and holds tasks until their shards are there.
class ReshardingJobs {
 public:
  ReshardingJobs(RunState& run, JobGiving& jobs, Evaluations& evaluations);

  /// A path has scored the router documents.
  void scored(const Evaluated& message);
  /// A router is fitted.
  void fitted(NodeId node, const RouterFitted& message);
  /// Some documents are routed: with the last ones the phase's shards are ready.
  void routed(NodeId node, const DocumentsRouted& message);
  /// Sends a shard to who trains or evaluates on it.
  void send_shard(NodeId node, const FetchShard& fetch);

 private:
  void want_next();
  void hold_tasks();

  RunState& run_;
  JobGiving& jobs_;
  Evaluations& evaluations_;
};

}  // namespace dipaco
