#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/coordinator/resharding.hpp"
#include "core/coordinator/tables/holders.hpp"
#include "core/coordinator/tables/jobs.hpp"
#include "core/coordinator/tables/members.hpp"
#include "core/coordinator/tables/ownership.hpp"
#include "core/coordinator/tables/path_losses.hpp"
#include "core/queue/given_tasks.hpp"
#include "core/queue/task_queue.hpp"
#include "core/roles/roles.hpp"
#include "core/state/ledger.hpp"
#include "core/state/refusals.hpp"
#include "core/state/retention.hpp"

namespace dipaco {

/// Node 0. It never sees a parameter: it knows which versions are where, gives tasks out and takes losses in. What it
/// must not forget is in its ledger before a message leaves that follows from it; the rest the others tell it again.
class Coordinator {
 public:
  Coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options);
  RunResult run();

 private:
  static constexpr Seconds kBetweenTold{1};
  /// How long the coordinator waits for a running attempt, or for answers about a lost one.
  struct Lease {
    Seconds ends{};
    PathId path{};
    std::int32_t outer_step = 0;
    Epoch epoch = 0;
    friend bool operator>(const Lease& a, const Lease& b) { return a.ends > b.ends; }
  };
  /// A store has the state that a path's next task makes.
  struct Arrival {
    NodeId store{};
    HeldState state;
  };
  // Messages in (coordinator.cpp).
  void receive_one();
  void handle(NodeId from, Message message);
  void note_state(NodeId store, const HeldState& state);
  void arrived(NodeId store, const HeldState& state);
  void commit_if_complete(PathId path);
  void commit(PathId path);
  void module_ready(NodeId from, const ModuleReady& message);
  void path_status(NodeId store, const PathStatus& message);
  void task_done(NodeId worker, const TaskDone& message);
  void gradient_undelivered(const GradientsLost& message);

  // Where an earlier incarnation was (coordinator_restart.cpp).
  void restore();
  void restore_evaluations();
  void give_up_evaluations();
  void restore_paths(bool run_goes_on);

  // Who is there (coordinator_members.cpp).
  void hello(NodeId node, const Hello& hello);
  void welcome_worker(NodeId node, const Hello& hello);
  void welcome_store(NodeId node, const Hello& hello);
  void welcome_executor(NodeId node, const Hello& hello);
  void lost(NodeId node);
  void leaves(NodeId node);
  void lost_worker(NodeId node);
  void lost_store(NodeId node);
  void spare_attempt(NodeId worker);
  void drop_lost_part(PathId path);
  void replicate_all();
  void start_when_ready();
  void check_nothing_missing();
  Seconds start_without_missing_at() const;
  bool heard_of_all() const;
  void settle_modules();
  void send_owners(const Ownership::Changes& changes);

  // Tasks (coordinator_tasks.cpp).
  void queued(PathId path);
  void advance(PathId path);
  void assign();
  bool reachable(PathId path) const;
  void send_task(PathId path, bool again);
  void lease(PathId path);
  void question(PathId path);
  void ask(PathId path, NodeId store);
  void answered(PathId path);
  void conclude(PathId path);
  void void_attempts(PathId path);
  void doubt_gradients(PathId path);
  void mend_gradients();
  void expire_leases();
  void note_path(PathId path);
  void replicate(PathId path);

  // States that are not finite (coordinator_refusals.cpp).
  void state_refused(const StateRefused& message);
  void end_refusals(NodeId worker);
  void set_aside(NodeId worker);
  void restore_refusals();
  bool is_set_aside(NodeId worker) const;
  std::string describe(NodeId worker) const;
  [[noreturn]] void diverged(PathId path) const;

  // Evaluations and re-sharding (coordinator_jobs.cpp).
  void want_evaluations(PathId path, std::int32_t version);
  void want_reached(PathId path);
  void want_results();
  void want(const std::vector<Job>& jobs);
  bool jobs_overdue() const;
  void give_jobs();
  std::optional<NodeId> take_node();
  bool send_job(NodeId node, const Job& job);
  bool send_evaluation(NodeId node, const Job& job);
  void give(NodeId node, const Job& job, NodeId store, Flops cost);
  void expire_job_leases();
  void move_evaluations(NodeId store);
  void release_node(NodeId node);
  void job_done(NodeId node, const Job& job);
  void evaluated(NodeId node, const Evaluated& message);
  bool closed(std::int32_t version, Purpose purpose) const;
  void close_evaluation(std::int32_t version, Purpose purpose);
  void release_closed();
  void hold_tasks();
  bool all_closed() const;
  std::int32_t best_version(PathId path) const;
  void router_fitted(NodeId node, const RouterFitted& message);
  void documents_routed(NodeId node, const DocumentsRouted& message);

  // The end (coordinator_end.cpp).
  void note_end();
  void finish();
  /// Versions of modules, with a path that each is of.
  using ModelParts = std::map<std::pair<ModuleId, std::int32_t>, PathId>;
  ModelParts lacking() const;
  std::optional<NodeId> holder(ModuleId module, std::int32_t version, PathId path) const;
  void ask_for_model();
  void collect_model(const Finished& finished);
  void say_goodbye();
  RunProgress progress() const;
  std::string waits_for(PathId path) const;
  void tell_waiting();
  [[noreturn]] void no_progress() const;

  // Where things are (coordinator_tasks.cpp).
  NodeId nearest(const std::set<NodeId>& stores, SiteId site) const;
  std::vector<NodeId> choose_stores(const PathEntry& path, SiteId site) const;
  std::vector<Owner> owners_of(PathId path) const;

  void send(NodeId to, Body body);
  Seconds patience() const;
  void made_progress();
  void record(EventKind kind, PathId path, NodeId node) const;
  std::int32_t count(Role role) const { return members_.count(role); }
  /// The version of the path's state before this one.
  std::int32_t state_before(PathId path, std::int32_t version) const {
    return version == 0 ? 0 : plan_.timetable.state_version(path, version - 1);
  }
  std::int32_t last_version() const { return static_cast<std::int32_t>(plan_.config.outer.steps); }

  const RunPlan& plan_;
  Seams seams_;
  CoordinatorOptions options_;
  Ledger ledger_;
  TaskQueue queue_;
  Ownership ownership_;
  StateHolders holders_;
  Resharding resharding_;
  Retention retention_;
  Members members_;
  std::set<NodeId> awaited_;  ///< executors and stores that an earlier incarnation knew, and whose Hello is awaited
  std::map<PathId, std::vector<Arrival>> arrivals_;  ///< of tasks that are not committed yet
  GivenTasks given_;
  std::map<std::pair<PathId, std::int32_t>, NodeId> copying_;  ///< states that a store is sent by another
  std::priority_queue<Lease, std::vector<Lease>, std::greater<>> leases_;
  std::set<std::pair<ModuleId, PathId>> doubts_;  ///< outer gradients of committed tasks that may never come
  PathLosses losses_;
  Refusals refusals_;
  JobList jobs_;
  std::set<NodeId> idle_evaluators_;                       ///< of evaluator nodes only
  std::map<Due, std::map<PathId, Score>> scores_;          ///< of evaluations that are not closed
  std::set<Due> closed_;                                   ///< evaluations of which all paths' scores are in
  std::map<PathId, Evaluated> best_;                       ///< the lowest loss on the path's hold-out so far
  std::map<PathId, Score> results_;                        ///< of the final evaluation
  std::map<ModuleId, std::string> hashes_;                 ///< of last versions that are kept for the model
  std::set<std::pair<ModuleId, std::int32_t>> best_kept_;  ///< and earlier ones, some path's best
  std::optional<std::string> arithmetic_;
  RunResult result_;
  Seconds began_at_{};  ///< this incarnation
  Seconds progress_at_{};
  Seconds told_at_{};  ///< CoordinatorOptions::tell_waiting
  bool started_ = false;
  bool owners_told_ = true;  ///< what is theirs, by this incarnation
  bool trained_ = false;
  bool finishing_ = false;
  bool over_ = false;
};

}  // namespace dipaco
