#include "core/queue/planned_homes.hpp"

namespace dipaco {

void PlannedHomes::homes_are(std::vector<SiteId> homes) {
  homes_ = std::move(homes);
  by_home_.clear();
  if (homes_.empty()) return;
  for (const Task& task : all_) by_home_[home_of(task.second)].insert(task);
}

void PlannedHomes::add(Task task) {
  all_.insert(task);
  if (!homes_.empty()) by_home_[home_of(task.second)].insert(task);
}

void PlannedHomes::remove(Task task) {
  if (all_.erase(task) == 0 || homes_.empty()) return;
  const auto mine = by_home_.find(home_of(task.second));
  mine->second.erase(task);
  if (mine->second.empty()) by_home_.erase(mine);
}

}  // namespace dipaco
