#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// Queued tasks of paths that are at no site yet, by the site at which each should begin. Pure logic.
class PlannedHomes {
 public:
  using Task = std::pair<OuterStep, PathId>;  ///< as QueuedTasks has it

  /// @param homes  [paths]; empty: a path may begin anywhere. Tasks may be queued already.
  void homes_are(std::vector<SiteId> homes);
  /// A task of a path that is at no site is queued; or is not any more.
  void add(Task task);
  void remove(Task task);

  /// The task that a worker of this site should take where `task` is its turn: the first like it that should begin
  /// there and can be had; or else `task` itself.
  template <class CanBeHad>
  PathId instead_of(Task task, SiteId site, const CanBeHad& can_be_had) const;

 private:
  SiteId home_of(PathId path) const { return homes_[static_cast<std::size_t>(index(path))]; }

  std::vector<SiteId> homes_;
  std::set<Task> all_;
  std::map<SiteId, std::set<Task>> by_home_;  ///< without homes, empty
};

template <class CanBeHad>
PathId PlannedHomes::instead_of(Task task, SiteId site, const CanBeHad& can_be_had) const {
  const auto mine = by_home_.find(site);
  if (mine == by_home_.end() || !all_.contains(task) || home_of(task.second) == site) return task.second;
  for (auto other = mine->second.lower_bound({task.first, PathId{0}});
       other != mine->second.end() && other->first == task.first; ++other) {
    if (can_be_had(other->second)) return other->second;
  }
  return task.second;
}

}  // namespace dipaco
