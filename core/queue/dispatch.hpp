#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/outer/schedule.hpp"
#include "core/queue/open_contributors.hpp"
#include "core/queue/path_table.hpp"
#include "core/queue/refused_tasks.hpp"
#include "core/queue/reserve.hpp"
#include "core/queue/turn.hpp"
#include "core/queue/waiting/queued_tasks.hpp"
#include "core/queue/workers.hpp"

namespace dipaco {

/// Which worker gets the next task of which path.
struct Assignment {
  PathId path{};
  NodeId worker{};
};

/// Joins the tasks that are queued and the workers that are free: which task goes out next, and to whom. Pure logic.
///
/// A path prefers its last worker, then the fastest free worker of the site where its state is, neither of which a
/// straggler counts as, then the fastest of any: AdamW's moments cross a WAN link only when a site is short of workers.
/// A call takes as long however many tasks and workers there are. Where a schedule lets some of them wait, it looks at
/// all once after each change.
class Dispatch {
 public:
  /// At first no schedule lets a free worker wait.
  void plan_by(std::shared_ptr<const Schedule> schedule, TaskCost cost) { reserve_.plan_by(std::move(schedule), cost); }
  /// A worker is there, for the first time or anew.
  /// @param speed  floating-point operations a second in training; 0: not known
  /// @param idle   it is free; otherwise nobody knows for how long it is busy
  void worker_up(NodeId node, SiteId site, double speed, bool idle = true);
  /// Nothing happens where it is none of the workers; the same of the next.
  void worker_free(NodeId node);
  void worker_gone(NodeId node);
  /// A free worker for an evaluation, taken; nullopt if there is none.
  std::optional<NodeId> take_worker();
  /// The free worker that take_worker() would take.
  std::optional<NodeId> fastest_free() const { return workers_.fastest(); }
  /// Takes this one. REQUIRES that it is free.
  void take(NodeId worker);
  /// How fast it is known to be now, and whether it is a straggler: nothing goes to one for its site's or a path's
  /// sake. Nothing happens where it is none of the workers.
  void speed_is(NodeId node, double speed);
  void avoid(NodeId node, bool avoided);
  /// What is foreseen of workers, tasks and states that move.
  Reserve& reserve() { return reserve_; }
  /// Its task counts, or does not any more: it will be free in a moment. As long as that is awaited of any, no
  /// straggler gets a task.
  void ends(NodeId node) {
    if (workers_.contains(node)) ending_.insert(node);
  }
  /// Whether all workers that may be given something, free or not, are among `nodes`.
  bool all_among(const std::set<NodeId>& nodes) const { return workers_.all_among(nodes); }

  /// The path's next task waits for a worker. REQUIRES that the entry's outer step and worker stay until it goes out.
  void put_in(PathId id, const PathEntry& path);
  void take_out(PathId id, const PathEntry& path);
  /// Tasks from this outer step on wait, whatever else holds: at first, none does.
  void hold_from(OuterStep outer_step);
  /// The next path and worker to join, or nullopt. The task is queued and the worker free no more.
  /// @param can_be_had  whether what a path needs can be had now; others stay queued
  /// @param now         on the run's clock
  /// @param open        at this moment, so that in rounds, where some workers may have to wait, a worker takes of tasks
  ///                    that cost it the same the one of whose modules the fewest are open; null: it takes the first
  template <class CanBeHad>
  std::optional<Assignment> next(const PathTable& paths, const CanBeHad& can_be_had, Seconds now = Seconds(0),
                                 OpenContributors* open = nullptr);
  /// Free workers that wait since the nearest outer step of which tasks are queued would end later with them; none
  /// where nothing has changed since it was called.
  std::vector<HeldBack> held_back(const PathTable& paths, Seconds now);
  /// When to call next() again although nothing has happened; nullopt: never.
  std::optional<Seconds> looks_again_at(Seconds now) const;

 private:
  std::optional<NodeId> worker_for(PathId id, const PathTable& paths, Seconds now);
  void set_free(NodeId worker, bool free);

  Workers workers_;
  Reserve reserve_;
  QueuedTasks queued_;
  RefusedTasks refused_;
  std::pair<std::uint64_t, OuterStep> told_{0, kNoOuterStep};  ///< state and outer step of which held_back() has told
  std::set<NodeId> ending_;
  OuterStep held_from_{std::numeric_limits<std::int32_t>::max()};
};

template <class CanBeHad>
std::optional<Assignment> Dispatch::next(const PathTable& paths, const CanBeHad& can_be_had, Seconds now,
                                         OpenContributors* open) {
  if (queued_.empty() || !workers_.any_free()) return std::nullopt;
  const bool any_will_do = !reserve_.matters();
  const AskedNow at{reserve_, workers_, paths, now};
  if (!any_will_do) refused_.look(at);
  if (!any_will_do && refused_.all()) return std::nullopt;
  bool all_refused = !any_will_do;
  std::pair<PathId, std::optional<NodeId>> found{PathId{-1}, std::nullopt};
  const auto goes_out = [&](PathId id) {
    if (!any_will_do && refused_.contains(paths.at(id), at)) return false;
    if (can_be_had(id)) {
      if (any_will_do && paths.at(id).spoiled_by.empty() && !stays(reserve_.fleet(), paths.at(id))) return true;
      found = {id, worker_for(id, paths, now)};
      if (found.second) return true;
    }
    all_refused = all_refused && !any_will_do && refused_.contains(paths.at(id), at);
    return false;
  };
  std::set<std::pair<OuterStep, SiteId>> away;  // of tasks, and where their states are: nobody takes one there
  const auto at_home = [&](PathId id) {
    const std::pair kind(reserve_.fleet().cost().lengths.round_of(paths.at(id)), paths.at(id).site);
    if (any_will_do || away.contains(kind) || !goes_out(id)) return false;
    if (reserve_.fleet().cost().rounds && !reserve_.stays(paths.at(id), *found.second)) away.insert(kind);
    return !away.contains(kind);
  };
  const auto chosen = queued_.choose(held_from_, goes_out, at_home);
  if (!chosen) refused_.all_are(all_refused);
  if (!chosen) return std::nullopt;
  const NodeId worker =
      found.first == chosen->second && found.second ? *found.second : *worker_for(chosen->second, paths, now);
  if (!workers_.is_ready(worker) && !ending_.empty()) return std::nullopt;
  const SiteId site = reserve_.fleet().workers().at(worker).site;
  const PathId id = turn_of(*chosen, {worker, site}, {queued_, reserve_.ways().planned_homes(), paths}, can_be_had,
                            any_will_do || !reserve_.fleet().cost().rounds ? nullptr : open);
  take_out(id, paths.at(id));
  set_free(worker, false);
  const std::uint64_t state = reserve_.gives(worker, paths.at(id), now);
  if (!any_will_do) refused_.taken(worker, state, at);
  return Assignment{id, worker};
}

}  // namespace dipaco
