#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/runtime/module_cache.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {

/// What a worker does, task by task: gather the path's modules and state, tau inner steps, put the new state, and once
/// the store has acknowledged it, send the outer gradients (§3; Alg. 1 lines 3-13). It owns nothing: whatever it has
/// can be had again from a store or an executor.
class Worker {
 public:
  Worker(const RunPlan& plan, Seams seams, const NodeSelf& self);
  void run();

 private:
  /// A task's inputs, and what its work makes of them: shared with the work, which may run on another thread.
  struct Job;

  bool receive_one(Seconds timeout);
  void handle(NodeId from, Message message);
  void train(const Task& task);
  PathStateBody gather_state(const Task& task);
  std::shared_ptr<Job> gather(const Task& task, const PathStateBody& state);
  InnerSteps compute(const Task& task, const std::shared_ptr<Job>& job);
  PathStateBody finished_state(const Task& task, const PathStateBody& state, Job& job) const;
  PathStateBody partial_state(const Task& task, const PathStateBody& state, Job& job, InnerSteps done) const;
  bool put(const Task& task, const PathStateBody& state);
  void send_outer_gradients(const Task& task, const PathStateBody& after);
  void evaluate(const Evaluate& request);
  void record(EventKind kind, const Task& task, std::int64_t inner_steps = 0, double loss_sum = 0) const;

  const RunPlan& plan_;
  Seams seams_;
  NodeSelf self_;
  ModuleCache modules_;
  std::optional<Task> task_;
  std::optional<Evaluate> evaluate_;
  std::optional<PathStateBody> fetched_;  ///< answer to FetchPathState
  std::optional<Stored> stored_;          ///< answer to PutPathState
  std::optional<PathStateBody> last_;     ///< the newest state of the path trained last: spares a fetch
  bool finished_ = false;
};

}  // namespace dipaco
