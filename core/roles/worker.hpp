#pragma once

#include <cstdint>
#include <optional>

#include "core/roles/job_taking.hpp"
#include "core/roles/known_start.hpp"
#include "core/roles/presence.hpp"
#include "core/roles/roles.hpp"
#include "core/roles/sent_gradients.hpp"
#include "core/roles/state_put.hpp"
#include "core/roles/supplies/supplies.hpp"
#include "core/roles/task_slots.hpp"

namespace dipaco {

class TaskWork;

/// What a worker does, task by task: gather the path's modules and state, tau inner steps, put the new state, and once
/// the stores have acknowledged it, send the outer gradients (§3; Alg. 1 lines 3-13). It owns nothing: whatever it has
/// can be had again from a store or an executor. Each duty is a part's; the worker hands messages and losses to the
/// parts, and says in which order they act.
class Worker {
 public:
  Worker(const RunPlan& plan, Seams seams, const NodeSelf& self);
  void run();

 private:
  // Messages in.
  bool receive_one(Seconds timeout);
  void handle(Message message);
  void lost(NodeId node);
  void say_what_is_in_hand(Hello& hello);

  // One task.
  struct Computed {
    InnerSteps done{};
    Seconds took{};
  };
  void train();
  std::optional<PathStateBody> gather_inputs(const Task& task);
  bool ended_by_mail();
  void stopped(const Computed& computed);
  void keep(const Task& task, TaskWork& work, const Computed& computed);
  bool too_late(const PathStateBody& state) const;
  bool put(const Task& task, const PathStateBody& state);
  void say_done(const Task& task, const Computed& computed, bool committed);
  void record(const Task& task, EventKind kind, InnerSteps done = {}, double loss_sum = 0) const;
  void do_next_job();
  bool superseded() const;
  bool is_to_send(const TaskId& task) const;

  const RunPlan& plan_;
  Seams seams_;
  Presence presence_;
  TaskSlots tasks_;          ///< the one at hand, and the next
  Supplies supplies_;        ///< what a task or a job needs
  SentGradients gradients_;  ///< a task's outer gradients
  JobTaking jobs_;           ///< what it does beside training
  KnownStart known_;         ///< states that need no store
  StatePut put_;             ///< a task's state, under way to stores, and how long that takes
  bool noticed_ = false;     ///< ends once it has nothing in hand
  bool finished_ = false;    ///< the run is over
};

}  // namespace dipaco
