#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/compute/compute.hpp"
#include "core/eval/score.hpp"
#include "core/events/events.hpp"
#include "core/plan/plan.hpp"
#include "core/queue/known_lines.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

class Archive;

/// The seams of one node, and what is kept of the run beside its nodes. Each role is one blocking function that an
/// actor, a process or a thread calls with its own. All must outlive that call.
struct Seams {
  Transport& transport;
  Compute& compute;
  Storage& storage;
  EventLog& log;
  Archive& archive;  ///< of a simulation that can be resumed (docs/decisions/0009), or one that keeps nothing
};

/// What a node says of itself.
struct NodeSelf {
  Role role{};
  SiteId site{};
  FlopsPerSecond speed;   ///< in training: host speed x mfu; 0: not known
  std::string machine{};  ///< nodes of one machine are lost together
};

/// A large message on its way.
struct SentMessage {
  NodeId from{};
  UnderWay message;
};

/// How far the run is, for a progress line.
struct RunProgress {
  Seconds now{};  ///< on the run's clock
  std::int64_t tasks_committed = 0;
  std::int64_t tasks = 0;  ///< of the whole run: P x T where every path trains at every outer step (§2.6.2); 0: nobody
                           ///< knows yet, as they differ in length
  std::int64_t inner_steps = 0;         ///< of the committed tasks
  std::int64_t inner_steps_in_all = 0;  ///< of the whole run
  /// Outer steps that all paths, and in rounds all shared modules, have done; where tasks differ in length, how many
  /// times inner.steps the paths have done each, on average.
  std::int64_t outer_step = 0;
  double loss = 0;  ///< mean of the newest committed task of each path, nats a token; 0: there is none yet
  /// What paths that are not done wait for, for whom and since when: the first ones, if CoordinatorOptions asks for it.
  std::vector<std::string> waiting_for{};
  std::vector<std::string> late{};            ///< of waiting_for those lines that are later than expected
  std::vector<std::string> slow_workers{};    ///< a line each
  std::vector<std::string> in_reserve{};      ///< workers that the schedule lets wait: a line each
  std::vector<SentMessage> sent_elsewhere{};  ///< by nodes that have told of it, while a person looks
};

struct CoordinatorOptions {
  std::int32_t executors = 0;   ///< to wait for before the first task
  std::int32_t stores = 0;      ///< the same
  std::int32_t workers = 0;     ///< the same, for liveness.limit at most: what is known of them decides who owns what,
                                ///< and who gets the first tasks
  std::int32_t evaluators = 0;  ///< 0: workers evaluate
  std::map<std::string, Seconds> step_times{};  ///< of an inner step, by machine: of workers that do not say theirs
  std::shared_ptr<const KnownLines> lines{};    ///< what is known of lines between sites beforehand; null: nothing
  /// Called on the coordinator's thread after each committed task; may be empty, unless tell_waiting is set.
  std::function<void(const RunProgress&)> progress;
  std::function<void(const std::string&)> note{};  ///< what a person should know, on the coordinator's thread
  bool tell_waiting = false;                       ///< progress says who is waited for, and comes every second
  /// Whether a person looks just now, so that with tell_waiting all nodes are asked what moves there. On the
  /// coordinator's thread; empty: nobody does.
  std::function<bool()> looked_at{};
};

/// What has become of the contributions to all shared modules.
struct ContributionCounts {
  std::int64_t given = 0;    ///< of committed tasks
  std::int64_t settled = 0;  ///< applied or dropped
  std::int64_t dropped = 0;
};

/// What the run came to.
struct RunResult {
  Seconds duration{};            ///< to the last module's last version
  std::string parameters_hash;   ///< "" where nothing is learned
  std::string routing_hash;      ///< of the last phase's router and shards; "" where none are made anew
  std::string mixed_arithmetic;  ///< "" where all nodes compute alike; else what differs, and no bits are promised
  std::int64_t inner_steps = 0;  ///< of committed tasks, those before a restart or a resume among them
  ContributionCounts contributions;
  std::vector<Score> scores;  ///< [P] of the final evaluation; empty where nothing is learned
  std::vector<std::pair<std::int32_t, Score>> evaluations;  ///< (version, all paths) of evaluate.every, ascending
};

/// Node 0: the task queue, leases, who owns what at which epoch, membership (§3). Returns when all modules are hashed
/// and everyone has been told. Goes on where an earlier incarnation was, from the journal in its storage.
/// @throws RunError with status 4 after liveness.deadline without progress, saying who waited for whom since when, or
///         where no worker's state of a path is finite: the run has diverged; DataError where the journal is damaged
RunResult run_coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options);

// The other roles return at Goodbye; workers and evaluators also when they have a notice (Notice, not Compute::leaving
// alone) that does not say when they will be gone, and nothing in hand.
// @throws RunError with status 5 where the coordinator was not heard of for liveness.deadline.

/// Takes tasks, trains, puts states, sends outer gradients (Alg. 1 lines 3-9).
void run_worker(const RunPlan& plan, Seams seams, const NodeSelf& self);

/// Adds outer gradients as they arrive and steps its modules (Alg. 1 lines 11-14).
void run_executor(const RunPlan& plan, Seams seams, const NodeSelf& self);

/// Keeps path states; its acknowledgement commits a task.
void run_store(const RunPlan& plan, Seams seams, const NodeSelf& self);

/// Scores paths, fits routers and routes documents, as workers do where there are no evaluators.
void run_evaluator(const RunPlan& plan, Seams seams, const NodeSelf& self);

/// Runs the role that `self` names. @throws std::logic_error for the coordinator's, and what the role throws
void run_role(const RunPlan& plan, Seams seams, const NodeSelf& self);

}  // namespace dipaco
