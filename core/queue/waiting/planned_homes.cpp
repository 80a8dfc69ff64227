#include "core/queue/waiting/planned_homes.hpp"

namespace dipaco {

void PlannedHomes::homes_are(std::vector<SiteId> homes, std::span<const PathId> order) {
  homes_ = std::move(homes);
  ranks_.resize(homes_.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    ranks_[static_cast<std::size_t>(index(order[rank]))] = static_cast<std::int32_t>(rank);
  }
  by_home_.clear();
  for (const Task& task : all_) by_home_[home_of(task.second)].insert(ranked(task));
}

void PlannedHomes::add(Task task) {
  all_.insert(task);
  if (!homes_.empty()) by_home_[home_of(task.second)].insert(ranked(task));
}

void PlannedHomes::remove(Task task) {
  if (all_.erase(task) == 0 || homes_.empty()) return;
  const auto mine = by_home_.find(home_of(task.second));
  mine->second.erase(ranked(task));
  if (mine->second.empty()) by_home_.erase(mine);
}

}  // namespace dipaco
