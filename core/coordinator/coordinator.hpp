#pragma once

#include "core/coordinator/diagnosis.hpp"
#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/gradient_doubts.hpp"
#include "core/coordinator/job_giving.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/membership.hpp"
#include "core/coordinator/model_collection.hpp"
#include "core/coordinator/module_owners.hpp"
#include "core/coordinator/resharding_jobs.hpp"
#include "core/coordinator/standstill.hpp"
#include "core/coordinator/state_refusals.hpp"
#include "core/coordinator/tasks.hpp"

namespace dipaco {

/// Node 0. It receives messages and hands each to the part whose duty it is, and after each lets the parts go on. It
/// never sees a parameter: it knows which versions are where, gives tasks out and takes losses in. What it must not
/// forget is in its ledger before a message leaves that follows from it; the rest the others tell it again.
class Coordinator {
 public:
  Coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options);
  /// Coordinates the run to its end. As run_coordinator().
  RunResult run();

 private:
  void restore();
  void receive_one();
  void go_on();
  Seconds patience() const;
  void handle(NodeId from, const Message& message);
  void task_done(NodeId worker, const TaskDone& message);
  void evaluated(NodeId node, const Evaluated& message);
  void gradients_made(NodeId worker, const GradientsMade& message);

  RunState run_;
  OuterGradientDoubts doubts_;
  Evaluations evaluations_;
  ModelCollection model_;
  ModuleOwners modules_;
  JobGiving jobs_;
  ReshardingJobs resharding_;
  StateRefusals refusals_;
  Diagnosis diagnosis_;
  Standstill standstill_;
  Tasks tasks_;
  Membership membership_;
};

}  // namespace dipaco
