#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/compute/compute.hpp"
#include "core/plan/plan.hpp"
#include "core/roles/supplies/supplies.hpp"
#include "core/state/archive.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// A task, and the path state that it begins with.
struct TaskStart {
  const Task& task;
  PathStateBody before;
};

/// The computation of one attempt at a task: the task's inner steps from the path's parameters, or those that are left,
/// and the path state that they come to (Alg. 1 lines 4-9). It sends nothing.
class TaskWork {
 public:
  /// @param start     the task, and the path state that it begins with
  /// @param supplies  REQUIRES that the modules of the task's base and the path's shard are there
  TaskWork(const RunPlan& plan, Archive& archive, TaskStart start, const Supplies& supplies);

  /// Trains until the task is done or a notice ends it. @returns the inner steps of this attempt
  /// @param reserve  as Compute::run has it
  InnerSteps run(Compute& compute, std::optional<Seconds> reserve);
  /// A part of the task as it would be handed back, without its values: what it weighs.
  PathStateBody part_shape() const;
  /// Of those inner steps, in nats a token.
  double loss_sum() const { return job_->report.loss_sum; }
  /// Whether the task is done.
  bool whole() const;
  /// What the attempt has made: the path's next state, or a part of the task to hand back. Called once, after run().
  PathStateBody take_state();
  /// What contributions are made of: [n] the parameters after the inner steps, or where gradients are exchanged the
  /// gradient. REQUIRES that the task is done and its state taken.
  const Values& given() const { return given_; }
  /// The same of a task that is done once more, whose state counts already. Called once, after run().
  Values give_again();

 private:
  /// What the inner steps take and make: shared with the work, which may run on another thread.
  struct Job {
    TrainState before;  ///< without parameters where nothing is learned
    TrainState after;   ///< what the last call of the work made
    InnerReport report;
    std::vector<float> specific;  ///< path-specific parameters at the task's start
    std::shared_ptr<const PathShard> shard;
  };
  void gather(const Base& base, const ModuleCache& modules);
  PathStateBody finished_state();
  void keep_values(PathStateBody& after);
  PathStateBody partial_state();
  /// Steps the path-specific modules and their velocity. @returns false where no outer step can be made of one
  bool step_specific(std::vector<float>& velocity);

  const RunPlan& plan_;
  Archive& archive_;
  AttemptId attempt_;
  std::int32_t first_inner_step_;
  std::int32_t length_;  ///< of the task, in inner steps
  PathStateBody before_;
  std::shared_ptr<Job> job_;
  InnerSteps done_;
  Values given_;
};

}  // namespace dipaco
