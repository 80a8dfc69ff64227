#pragma once

#include "core/base/ids.hpp"
#include "core/queue/open_contributors.hpp"
#include "core/queue/path_table.hpp"
#include "core/queue/waiting/planned_homes.hpp"
#include "core/queue/waiting/queued_tasks.hpp"

namespace dipaco {

/// What is queued, and where paths begin.
struct WaitingPaths {
  const QueuedTasks& tasks;
  const PlannedHomes& homes;
  const PathTable& paths;
};

/// A worker, and its site.
struct Workplace {
  NodeId node{};
  SiteId site{};
};

/// Whose turn it is where a worker was chosen for this task: of the tasks that cost it as much, the one that should
/// begin at its site, or else the one whose modules wait for it most.
/// @param open  null: any will do, so that the first goes out
template <class CanBeHad>
PathId turn_of(const QueuedTasks::Task& chosen, const Workplace& worker, const WaitingPaths& queued,
               const CanBeHad& can_be_had, OpenContributors* open) {
  const auto entry = [&](PathId path) -> const PathEntry& { return queued.paths.at(path); };
  const auto as_chosen = [&](PathId other) {
    return entry(other).spoiled_by == entry(chosen.second).spoiled_by && can_be_had(other);
  };
  const PathId first = queued.homes.instead_of(chosen, worker.site, as_chosen);
  if (open == nullptr) return first;
  const auto as_first = [&](PathId other) {
    return entry(other).site == entry(first).site && entry(other).inner_steps == entry(first).inner_steps &&
           as_chosen(other);
  };
  return queued.tasks.least_of({chosen.first, first}, worker.node, as_first,
                               [open](PathId other) { return open->of(other); });
}

}  // namespace dipaco
