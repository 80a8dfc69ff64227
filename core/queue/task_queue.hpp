#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/topology.hpp"
#include "core/outer/policies.hpp"
#include "core/queue/dispatch.hpp"
#include "core/queue/module_versions.hpp"
#include "core/queue/path_entry.hpp"
#include "core/queue/path_table.hpp"
#include "core/queue/task_lengths.hpp"
#include "core/queue/waiting/resting_paths.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// The task queue of §3.1: which path may go on, and which free worker takes it. Pure logic: no messages, no clock.
///
/// A path's next task is queued as soon as the run's policy lets it begin: in rounds, as soon as its own modules are at
/// its outer step (§3.3). The queue joins four parts: where the paths are, where the modules are, which paths wait to
/// begin with others, and which queued task goes to which free worker. A call takes as long however many paths, workers
/// and outer steps there are.
class TaskQueue {
 public:
  /// @param topology, policy  must outlive the queue; `policy` says when a path may begin
  /// @param outer_steps       T, after which a path is done
  /// @param next_trained      Timetable::next_trained
  /// @param lengths           of tasks, in inner steps
  TaskQueue(
      const Topology& topology, std::int32_t outer_steps, const SyncPolicy& policy = sync_policies().front(),
      PathTable::NextTrained next_trained = [](PathId /*path*/, OuterStep step) { return step; },
      TaskLengths lengths = TaskLengths(1));

  /// Queues the next task of every path whose modules are there: at first, all.
  void start(Seconds now);
  /// Before start: what a journal says of a path, and of a module. With `running`, entry.attempt is out.
  void restore(PathId path, const PathEntry& entry, bool running);
  void restore(ModuleId module, Version version, const std::map<PathId, OuterStep>& settled) {
    modules_.restore(module, version, settled);
  }
  /// A version is out, and more contributions are settled. REQUIRES a shared module.
  /// @returns paths whose next task is queued by this
  std::vector<PathId> module_ready(ModuleId module, Version version, const std::vector<SettledPath>& settled,
                                   Seconds now);
  /// The path's state `version` is at a store of `site`. The path's next task is not queued by this: advance().
  /// @returns false if it was known already.
  /// @throws std::logic_error where it is not the version that the path's task makes
  bool committed(PathId path, std::int32_t version, SiteId site, Seconds now);
  /// The path's task is queued again. @throws std::logic_error unless it is in question
  void requeue(PathId path, Seconds now);
  /// The next path and worker to join, or nullopt. The path runs from here on, with a raised epoch.
  /// @param reachable  whether what a path needs can be had now; others stay queued
  std::optional<Assignment> assign(
      Seconds now, const std::function<bool(PathId)>& reachable = [](PathId /*path*/) { return true; });
  /// Queues the path's next task, or ends the path where it has none, if it waits and its modules are there. Where the
  /// policy has a grace period it rests instead, until begin_rested(), unless it has begun before.
  /// @returns whether a task was queued
  bool advance(PathId path, Seconds now);

  /// Queues the tasks of paths that rest, once it is time, with the versions that are out. @returns these paths
  std::vector<PathId> begin_rested(Seconds now);

  /// Where the paths are, where the shared modules, and which paths rest.
  const PathTable& paths() const { return paths_; }
  PathTable& paths() { return paths_; }
  const ModuleVersions& modules() const { return modules_; }
  const RestingPaths& resting() const { return resting_; }
  /// Who is free and what is held.
  Dispatch& dispatch() { return dispatch_; }
  // What is queued, and what a path's next task is, are for the queue to change.
  const PathEntry& path(PathId id) const { return paths_.at(id); }
  PathEntry& path(PathId id) { return paths_.at(id); }
  /// Shared modules of the path that its next task waits for.
  std::vector<ModuleId> missing_modules(PathId id) const {
    return modules_.awaited(id, path(id).outer_step, OuterStep{path(id).version});
  }
  /// The outer steps that all paths, and in rounds all shared modules, have done.
  std::int32_t lowest_version() const;

 private:
  void put_in_queue(PathId id);

  const Topology& topology_;
  std::int32_t outer_steps_;
  TaskLengths lengths_;
  PathTable paths_;
  ModuleVersions modules_;
  RestingPaths resting_;
  Dispatch dispatch_;
};

}  // namespace dipaco
