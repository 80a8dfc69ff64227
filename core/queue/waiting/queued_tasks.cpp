#include "core/queue/waiting/queued_tasks.hpp"

#include <limits>

namespace dipaco {

void QueuedTasks::add(Task task, NodeId last_worker) {
  all_.insert(task);
  of_worker_[last_worker].insert(task);
  note_first(last_worker);
}

void QueuedTasks::remove(Task task, NodeId last_worker) {
  all_.erase(task);
  const auto mine = of_worker_.find(last_worker);
  if (mine == of_worker_.end()) return;
  mine->second.erase(task);
  if (mine->second.empty()) of_worker_.erase(mine);
  note_first(last_worker);
}

void QueuedTasks::worker_is(bool free, NodeId worker) {
  free ? static_cast<void>(free_.insert(worker)) : static_cast<void>(free_.erase(worker));
  note_first(worker);
}

std::optional<OuterStep> QueuedTasks::step_from(OuterStep outer_step) const {
  const auto task = all_.lower_bound({outer_step, PathId{std::numeric_limits<std::int32_t>::min()}});
  return task == all_.end() ? std::nullopt : std::optional(task->first);
}

void QueuedTasks::note_first(NodeId worker) {
  if (const auto before = first_.extract(worker)) by_first_.erase({before.mapped(), worker});
  const auto mine = of_worker_.find(worker);
  if (mine == of_worker_.end() || !free_.contains(worker)) return;
  const Task task = *mine->second.begin();
  first_.emplace(worker, task);
  by_first_.emplace(task, worker);
}

}  // namespace dipaco
