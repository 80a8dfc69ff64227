#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/roles.hpp"
#include "core/runtime/task_queue.hpp"

namespace dipaco {

/// Node 0. It never sees a parameter: it knows which versions are where, gives tasks out and takes losses in.
class Coordinator {
 public:
  Coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options);
  RunResult run();

 private:
  struct Member {
    Role role{};
    SiteId site{};
    std::int32_t incarnation = 0;
    double speed = 0;
  };
  struct Lease {
    Seconds ends{};
    PathId path{};
    std::int32_t outer_step = 0;
    Epoch epoch = 0;
    friend bool operator>(const Lease& a, const Lease& b) { return a.ends > b.ends; }
  };
  struct Evaluation {
    PathId path{};
    std::int32_t version = 0;
    friend auto operator<=>(const Evaluation&, const Evaluation&) = default;
  };

  // Messages in (coordinator.cpp).
  void receive_one();
  void handle(NodeId from, Message message);
  void hello(NodeId node, const Hello& hello);
  void lost(NodeId node);
  void committed(NodeId store, const Committed& message);
  void module_ready(const ModuleReady& message);
  void path_status(NodeId store, const PathStatus& message);
  void task_done(NodeId worker, const TaskDone& message);
  void evaluated(NodeId node, const Evaluated& message);

  // What follows from them (coordinator_tasks.cpp).
  void start_when_ready();
  void queued(PathId path);
  void advance(PathId path);
  void assign();
  void send_task(const Assignment& assignment);
  void question(PathId path);
  void make_gradients_again(PathId path);
  void expire_leases();
  void give_evaluations();
  void finish();
  void collect_hash(const Finished& finished);
  void seal_hash();
  void note_end();
  void close_evaluation(std::int32_t version);
  RunProgress progress() const;
  NodeId store_for(SiteId site) const;
  std::vector<NodeId> executors_of(PathId path) const;

  Seconds patience() const;
  void made_progress();
  [[noreturn]] void no_progress() const;
  void record(EventKind kind, PathId path, NodeId node) const;
  bool over() const { return finishing_ && unfinished_.empty(); }

  const RunPlan& plan_;
  Seams seams_;
  CoordinatorOptions options_;
  TaskQueue queue_;
  std::map<NodeId, Member> members_;
  std::map<ModuleId, NodeId> executor_of_;
  std::priority_queue<Lease, std::vector<Lease>, std::greater<>> leases_;
  std::vector<double> path_loss_;             ///< [P] mean of the newest committed task
  std::map<Evaluation, NodeId> to_evaluate_;  ///< and the store that has the path's state of that version
  std::map<NodeId, std::pair<Evaluation, NodeId>> evaluating_;  ///< by who does it, with the store
  std::set<NodeId> idle_evaluators_;                            ///< of evaluator nodes only
  std::map<std::int32_t, std::map<PathId, Score>> scores_;      ///< by version
  std::set<NodeId> unfinished_;                                 ///< owners whose Finished is awaited
  std::map<ModuleId, std::string> hashes_;
  std::optional<std::string> arithmetic_;
  RunResult result_;
  Seconds progress_at_{};
  bool started_ = false;
  bool trained_ = false;
  bool finishing_ = false;
};

}  // namespace dipaco
