#include "core/coordinator/state_refusals.hpp"

#include "core/base/error.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void StateRefusals::refused(const StateRefused& message) {
  const auto& [task, epoch, worker] = message;
  PathEntry& path = run_.queue.path(task.path);
  if (path.outer_step != task.outer_step || !path.note_refused(epoch, worker)) return;
  run_.ledger.note(RefusedTaskRecord{task.path,
                                     task.outer_step,
                                     {path.refused.begin(), path.refused.end()},
                                     {path.spoiled_by.begin(), path.spoiled_by.end()}});
  const std::int32_t in_a_row = count(worker);
  run_.seams.log.record({.time = run_.now(),
                         .kind = EventKind::state_refused,
                         .attempt = static_cast<std::int16_t>(epoch),
                         .node = worker,
                         .path = task.path,
                         .outer_step = task.outer_step});
  if (run_.options.note) {
    run_.options.note("the state of " + text(task.path) + " after outer step " +
                      std::to_string(number(task.outer_step)) + ", attempt " + std::to_string(epoch) + ", by " +
                      describe(worker) + " is not finite: its store refused it, and the task is done again");
  }
  if (in_a_row >= kRefusalsInARow) set_aside(worker);
  const bool tried = static_cast<std::int32_t>(path.refused.size()) >= kRefusalsInARow;
  const bool by_many = static_cast<std::int32_t>(path.spoiled_by.size()) >= kMostSpoilers;
  const bool nobody_left = in_a_row >= kRefusalsInARow && run_.members.serving(Role::worker) == 0;
  const bool by_all = run_.queue.dispatch().all_among(path.spoiled_by);
  if (by_many || nobody_left || (tried && by_all)) diverged(task.path);
}

/// One more of the worker. @returns how many in a row that makes
std::int32_t StateRefusals::count(NodeId worker) {
  const KnownNode* const member = run_.members.find(worker);
  const std::int32_t incarnation = member == nullptr ? 0 : member->incarnation;
  const std::int32_t in_a_row = refusals_.add(worker, incarnation);
  run_.ledger.note(RefusalsRecord{worker, incarnation, in_a_row});
  return in_a_row;
}

void StateRefusals::not_finite(NodeId worker, const TaskId& task) {
  if (run_.options.note) {
    run_.options.note("the gradient of " + text(task.path) + " at outer step " +
                      std::to_string(number(task.outer_step)) + ", made again by " + describe(worker) +
                      ", is not finite: it is made by another worker");
  }
  if (count(worker) >= kRefusalsInARow) set_aside(worker);
}

void StateRefusals::committed(NodeId worker) {
  if (refusals_.end(worker)) run_.ledger.note(RefusalsRecord{.worker = worker});
}

/// It is given nothing more. What it is at may still count.
void StateRefusals::set_aside(NodeId worker) {
  if (!run_.members.contains(worker)) return;
  jobs_.leaves(worker);
  run_.seams.log.record({.time = run_.now(), .kind = EventKind::worker_set_aside, .node = worker});
  if (!run_.options.note) return;
  run_.options.note(describe(worker) + " is set aside: " + std::to_string(kRefusalsInARow) +
                    " of its states in a row were not finite; look after the machine, and start the worker again");
}

bool StateRefusals::is_set_aside(NodeId worker) const {
  const KnownNode* const member = run_.members.find(worker);
  return member != nullptr && refusals_.set_aside(worker, member->incarnation);
}

void StateRefusals::restore() {
  for (const auto& [worker, row] : run_.ledger.state().refusals)
    refusals_.restore(worker, {row.incarnation, row.in_a_row});
  for (const auto& [id, task] : run_.ledger.state().refused) {
    PathEntry& path = run_.queue.path(id);
    if (path.outer_step != task.outer_step) continue;
    path.refused = {task.epochs.begin(), task.epochs.end()};
    path.spoiled_by = {task.workers.begin(), task.workers.end()};
  }
}

std::string StateRefusals::describe(NodeId worker) const {
  const KnownNode* const member = run_.members.find(worker);
  return "worker " + std::to_string(index(worker)) +
         (member == nullptr || member->machine.empty() ? "" : " on " + member->machine);
}

void StateRefusals::diverged(PathId id) const {
  const PathEntry& path = run_.queue.path(id);
  std::string workers;
  for (const NodeId worker : path.spoiled_by) workers += (workers.empty() ? "" : ", ") + describe(worker);
  throw RunError(static_cast<int>(ExitStatus::no_progress),
                 "the state of " + text(id) + " after outer step " + std::to_string(number(path.outer_step)) +
                     " is not finite on any machine; tried by " + workers +
                     "; the run has diverged: lower inner.learning_rate or outer.learning_rate");
}

}  // namespace dipaco
