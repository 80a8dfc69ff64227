#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/events.hpp"
#include "core/report/accounts/bill.hpp"
#include "core/report/accounts/intervals.hpp"
#include "core/report/accounts/run_facts.hpp"
#include "core/report/accounts/target.hpp"
#include "core/report/accounts/waits.hpp"
#include "core/report/attempts/attempts.hpp"
#include "core/report/attempts/contribution_totals.hpp"

namespace dipaco {

/// Where one worker's seconds went, all of them within [0, end of the run]:
/// up = compute + lost + evaluate + transfer + wait.
struct WorkerTime {
  NodeId id{};
  Seconds up{};
  Seconds provisioned{};
  Seconds compute{};   ///< in inner steps that reached a module
  Seconds lost{};      ///< in inner steps that did not
  Seconds evaluate{};  ///< in jobs
  Seconds transfer{};  ///< in none of these, with values under way to it or from it
  Seconds wait{};      ///< the rest: for a task, for other paths, for messages without values
  /// From the end of an attempt's inner steps until the stores had acknowledged what they made: seconds of `transfer`
  /// and `wait`, counted once more.
  Seconds commit_wait{};
  std::int64_t tasks_committed = 0;
  std::int64_t tasks_requeued = 0;
  std::int64_t inner_steps = 0;
  std::int64_t inner_steps_lost = 0;
  std::int64_t times_lost = 0;  ///< how often it went down
  Bytes received;               ///< in messages with values
  Bytes sent;
  Intervals up_times;
};

/// One outer step: a row of outer_steps.csv.
struct OuterStepTime {
  OuterStep outer_step{};
  Seconds begin = kNever;  ///< its first task was queued
  Seconds end = kNever;    ///< its last module is out, without rounds the last version that a contribution of it is in;
                           ///< kNever while a path's task is not committed
  std::int64_t tasks_committed = 0;
  std::int64_t tasks_requeued = 0;
  std::int64_t inner_steps = 0;
  std::int64_t inner_steps_lost = 0;
  Seconds compute{};             ///< of all attempts, from task_started to the end of their inner steps, less freezes
  double loss = kNever.count();  ///< mean of the useful inner steps; not a number where nothing was learned
  double outer_gradient_norm = kNever.count();  ///< of all modules together; not a number without rounds
  PathId last_path{-1};                         ///< whose commit came last, and by whom: what the step waited for
  NodeId last_worker{-1};
};

/// All that the reports are made from.
struct Account {
  Seconds end{};                    ///< RunFacts::duration, or the last event's time where that is 0
  std::vector<Attempt> attempts;    ///< by outer step, path, attempt
  std::vector<WorkerTime> workers;  ///< in the order of RunFacts::nodes
  std::vector<OuterStepTime> outer_steps;
  bool lengths_differ = false;         ///< of tasks (inner.dylu)
  double train_loss = kNever.count();  ///< mean of the last outer step, or, where tasks differ, of each path's last
  std::map<OuterStep, ContributionTotals> contributions;  ///< empty in rounds, where all are applied and none is stale
  std::map<PathId, ContributionTotals> starved;           ///< paths most of whose contributions were dropped
  std::vector<Intervals> up_times;                        ///< [RunFacts::nodes]
  std::int64_t messages_refused = 0;
  std::int64_t states_refused = 0;
  std::set<NodeId> set_aside;            ///< workers that were given nothing more
  std::set<NodeId> slow;                 ///< workers that were named as slow at any time
  Bill bill;                             ///< what it all comes to, where somebody says what things cost
  std::optional<TargetReached> target;   ///< once the run was as good as it was to be
  std::map<NodeId, Seconds> in_reserve;  ///< workers that waited in reserve at any time, and what a task takes each
  Waits waits;
};

/// The rows of outer_steps.csv, from the account's attempts and contributions. A path-specific module is out at its
/// path's commit; the others at module_stepped.
std::vector<OuterStepTime> outer_step_times(const RunFacts& facts, const Account& account,
                                            const std::vector<Event>& events);

/// From the account's attempts, the events of kind module_stepped and RunFacts::shared_modules.
Waits who_waited(const RunFacts& facts, const Account& account, const std::vector<Event>& events);

/// What Account says of the end, from its attempts and outer steps.
double last_train_loss(const Account& account);

/// Adds everything up. Events may come in any order; a node without node_up and node_down was up all the time.
/// REQUIRES: facts.nodes has every node that an event names.
Account make_account(const RunFacts& facts, const std::vector<Event>& events);

}  // namespace dipaco
