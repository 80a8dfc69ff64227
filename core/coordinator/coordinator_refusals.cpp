// Path states that their stores have refused, since a value is not finite: another worker does the task, and a worker
// that makes one after the other gets nothing more (docs/decisions/0014).

#include <string>

#include "core/base/error.hpp"
#include "core/coordinator/coordinator.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

/// Each store of an attempt says so. The attempt's end is its worker's to say, as that of any other.
void Coordinator::state_refused(const StateRefused& message) {
  const auto& [task, epoch, worker] = message;
  const PathEntry& path = queue_.path(task.path);
  if (path.outer_step != task.outer_step || !queue_.refused(task.path, epoch, worker)) return;
  ledger_.note(RefusedTaskRecord{task.path,
                                 task.outer_step,
                                 {path.refused.begin(), path.refused.end()},
                                 {path.spoiled_by.begin(), path.spoiled_by.end()}});
  const KnownNode* const member = members_.find(worker);
  const std::int32_t incarnation = member == nullptr ? 0 : member->incarnation;
  const std::int32_t in_a_row = refusals_.add(worker, incarnation);
  ledger_.note(RefusalsRecord{worker, incarnation, in_a_row});
  seams_.log.record({.time = seams_.compute.now(),
                     .kind = EventKind::state_refused,
                     .attempt = static_cast<std::int16_t>(epoch),
                     .node = worker,
                     .path = task.path,
                     .outer_step = task.outer_step});
  if (options_.note) {
    options_.note("the state of " + text(task.path) + " after outer step " + std::to_string(task.outer_step) +
                  ", attempt " + std::to_string(epoch) + ", by " + describe(worker) +
                  " is not finite: its store refused it, and the task is done again");
  }
  if (in_a_row >= kRefusalsInARow) set_aside(worker);
  const bool tried = static_cast<std::int32_t>(path.refused.size()) >= kRefusalsInARow;
  const bool by_many = static_cast<std::int32_t>(path.spoiled_by.size()) >= kMostSpoilers;
  const bool nobody_left = in_a_row >= kRefusalsInARow && members_.serving(Role::worker) == 0;
  if (by_many || nobody_left || (tried && queue_.spoiled_by_all(task.path))) diverged(task.path);
}

/// A state of the worker counts.
void Coordinator::end_refusals(NodeId worker) {
  if (refusals_.end(worker)) ledger_.note(RefusalsRecord{.worker = worker});
}

/// It is given nothing more. What it is at may still count.
void Coordinator::set_aside(NodeId worker) {
  if (!members_.contains(worker)) return;
  leaves(worker);
  seams_.log.record({.time = seams_.compute.now(), .kind = EventKind::worker_set_aside, .node = worker});
  if (!options_.note) return;
  options_.note(describe(worker) + " is set aside: " + std::to_string(kRefusalsInARow) +
                " of its states in a row were not finite; look after the machine, and start the worker again");
}

bool Coordinator::is_set_aside(NodeId worker) const {
  const KnownNode* const member = members_.find(worker);
  return member != nullptr && refusals_.set_aside(worker, member->incarnation);
}

void Coordinator::restore_refusals() {
  for (const auto& [worker, row] : ledger_.state().refusals) refusals_.restore(worker, {row.incarnation, row.in_a_row});
  for (const auto& [id, task] : ledger_.state().refused) {
    PathEntry& path = queue_.path(id);
    if (path.outer_step != task.outer_step) continue;
    path.refused = {task.epochs.begin(), task.epochs.end()};
    path.spoiled_by = {task.workers.begin(), task.workers.end()};
  }
}

std::string Coordinator::describe(NodeId worker) const {
  const KnownNode* const member = members_.find(worker);
  return "worker " + std::to_string(index(worker)) +
         (member == nullptr || member->machine.empty() ? "" : " on " + member->machine);
}

void Coordinator::diverged(PathId id) const {
  const PathEntry& path = queue_.path(id);
  std::string workers;
  for (const NodeId worker : path.spoiled_by) workers += (workers.empty() ? "" : ", ") + describe(worker);
  throw RunError(static_cast<int>(ExitStatus::no_progress),
                 "the state of " + text(id) + " after outer step " + std::to_string(path.outer_step) +
                     " is not finite on any machine; tried by " + workers +
                     "; the run has diverged: lower inner.learning_rate or outer.learning_rate");
}

}  // namespace dipaco
