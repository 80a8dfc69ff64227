#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// Queued tasks of paths that are at no site yet, by the site at which each should begin, in the order in which these
/// should. Pure logic.
class PlannedHomes {
 public:
  using Task = std::pair<OuterStep, PathId>;  ///< as QueuedTasks has it

  /// At first a path may begin anywhere. Tasks may be queued already.
  /// @param homes  [paths]
  /// @param order  all of them
  void homes_are(std::vector<SiteId> homes, std::span<const PathId> order);
  /// A task of a path that is at no site is queued; or is not any more.
  void add(Task task);
  void remove(Task task);

  /// The task that a worker of this site should take where `task` is its turn: of those like it that should begin there
  /// the first that can be had; or else `task` itself.
  template <class CanBeHad>
  PathId instead_of(Task task, SiteId site, const CanBeHad& can_be_had) const;

 private:
  using Ranked = std::tuple<OuterStep, std::int32_t, PathId>;
  SiteId home_of(PathId path) const { return homes_[static_cast<std::size_t>(index(path))]; }
  Ranked ranked(Task task) const {
    return {task.first, ranks_[static_cast<std::size_t>(index(task.second))], task.second};
  }

  std::vector<SiteId> homes_;
  std::vector<std::int32_t> ranks_;  ///< [paths]
  std::set<Task> all_;
  std::map<SiteId, std::set<Ranked>> by_home_;  ///< without homes, empty
};

template <class CanBeHad>
PathId PlannedHomes::instead_of(Task task, SiteId site, const CanBeHad& can_be_had) const {
  const auto mine = by_home_.find(site);
  if (mine == by_home_.end() || !all_.contains(task)) return task.second;
  for (auto other = mine->second.lower_bound({task.first, 0, PathId{0}}); other != mine->second.end(); ++other) {
    const auto& [step, rank, path] = *other;
    if (step != task.first) break;
    if (can_be_had(path)) return path;
  }
  return task.second;
}

}  // namespace dipaco
