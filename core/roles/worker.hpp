#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/roles/module_cache.hpp"
#include "core/roles/node.hpp"
#include "core/roles/presence.hpp"
#include "core/roles/roles.hpp"

namespace dipaco {

/// What a worker does, task by task: gather the path's modules and state, tau inner steps, put the new state, and once
/// the stores have acknowledged it, send the outer gradients (§3; Alg. 1 lines 3-13). It owns nothing: whatever it has
/// can be had again from a store or an executor.
class Worker {
 public:
  Worker(const RunPlan& plan, Seams seams, const NodeSelf& self);
  void run();

 private:
  /// A task's inputs, and what its work makes of them: shared with the work, which may run on another thread.
  struct Job {
    TrainState before;  ///< inputs; empty where nothing is learned
    TrainState after;   ///< what the last call of the work made
    InnerReport report;
    std::vector<float> specific;  ///< path-specific parameters at the task's start
    std::shared_ptr<const PathShard> shard;
  };

  // Messages in.
  void receive_one(Seconds timeout);
  void handle(Message message);
  void lost(NodeId node);
  void take(Task task);
  void take(Evaluate request);

  // One task.
  void train();
  bool gather_inputs(PathStateBody& state);
  std::shared_ptr<Job> make_job(const PathStateBody& state);
  InnerSteps compute(const std::shared_ptr<Job>& job);
  PathStateBody finished_state(const PathStateBody& state, Job& job) const;
  PathStateBody partial_state(const PathStateBody& state, Job& job, InnerSteps done) const;
  bool put(const PathStateBody& state);
  GradientValues gradient_of(const PathStateBody& after, std::int32_t level) const;
  void send_outer_gradients(const PathStateBody& after);
  void do_next_job();
  void evaluate(const Evaluate& request);
  void record(EventKind kind, std::int64_t inner_steps = 0, double loss_sum = 0) const;
  bool superseded() const;
  void say_done(InnerSteps done, bool committed);
  AttemptId attempt() const { return {task_.id, task_.epoch}; }
  bool starts_anew() const;
  std::int32_t state_version() const;
  bool knows_state() const;

  const RunPlan& plan_;
  Seams seams_;
  Presence presence_;
  ModuleCache modules_;
  ShardCache shards_;
  Task task_;  ///< that is worked on; the coordinator may change where its things are
  bool training_ = false;
  Evaluate request_;  ///< the same
  bool evaluating_ = false;
  bool evaluation_void_ = false;  ///< said hello since: the coordinator gives it anew, or to another
  std::optional<Task> next_task_;
  std::optional<JobRequest> next_job_;
  std::optional<PathStateBody> fetched_;  ///< answer to FetchPathState
  bool state_unasked_ = false;            ///< that answer will not come
  std::map<NodeId, bool> stored_;         ///< answers to PutPathState, by store: accepted
  std::set<NodeId> put_to_;               ///< stores that the state is under way to, or that have answered
  PathStateBody putting_;
  std::optional<PathStateBody> last_;                   ///< the newest state of the path trained last: spares a fetch
  std::vector<std::pair<NodeId, GradientsLost>> sent_;  ///< newest outer gradients, and to whom they went
  bool noticed_ = false;                                ///< ends once it has nothing in hand
  bool finished_ = false;
};

}  // namespace dipaco
