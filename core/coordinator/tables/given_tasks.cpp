#include "core/coordinator/tables/given_tasks.hpp"

#include <utility>

namespace dipaco {

void GivenTasks::set(NodeId worker, GivenTask task) {
  remove(worker);
  of_[task.id.path].insert(worker);
  all_.emplace(worker, std::move(task));
}

void GivenTasks::remove(NodeId worker) {
  const auto task = all_.extract(worker);
  if (!task) return;
  const auto workers = of_.find(task.mapped().id.path);
  workers->second.erase(worker);
  if (workers->second.empty()) of_.erase(workers);
}

const GivenTask* GivenTasks::find(NodeId worker) const {
  const auto found = all_.find(worker);
  return found == all_.end() ? nullptr : &found->second;
}

GivenTask* GivenTasks::find(NodeId worker) {
  const auto found = all_.find(worker);
  return found == all_.end() ? nullptr : &found->second;
}

const std::set<NodeId>& GivenTasks::of(PathId path) const {
  static const std::set<NodeId> kNobody;
  const auto found = of_.find(path);
  return found == of_.end() ? kNobody : found->second;
}

}  // namespace dipaco
