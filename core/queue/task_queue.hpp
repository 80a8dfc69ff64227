#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/topology.hpp"
#include "core/outer/policies.hpp"
#include "core/queue/least_of.hpp"
#include "core/queue/module_versions.hpp"
#include "core/queue/queued_tasks.hpp"
#include "core/queue/workers.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Where one path is. A path waits for its own modules, is queued, runs on a worker, or its last attempt is in
/// question.
struct PathEntry {
  enum class Phase : std::uint8_t { waiting, queued, running, in_question, done };
  Phase phase = Phase::waiting;
  std::int32_t version = 0;           ///< newest committed state
  std::int32_t outer_step = 0;        ///< of the path's next task; above `version` where it was not drawn (§2.6.2)
  Epoch state_epoch = 0;              ///< of the attempt that made that state
  std::int32_t inner_steps = 0;       ///< of the next task, handed back so far
  Epoch epoch = 0;                    ///< of the newest attempt at the next task
  SiteId site{-1};                    ///< of the store that had the newest state first; -1: the prepared start is it
  NodeId worker{-1};                  ///< who runs the path, or ran it last
  std::int32_t first_inner_step = 0;  ///< of the running attempt
  NodeId from_store{-1};              ///< that the running attempt has its state from
  std::vector<NodeId> to_stores;      ///< get what the running attempt makes
  Base base;                          ///< that the next task begins with, once it was given out
  Base state_base;                    ///< that the task which made the newest state began with
  std::vector<Epoch> sent_to;         ///< [L] epochs of the owners that the running attempt was told; 0: in doubt
  bool worker_done = false;           ///< the running attempt has ended: its commit is on the way
  std::set<NodeId> asked;             ///< of to_stores, whose answer to a question is awaited
  bool answered = false;              ///< one of them has answered
  std::set<Epoch> refused;            ///< attempts at the next task whose state was not finite
  std::set<NodeId> spoiled_by;        ///< their workers: they get the task again only where there is no other
  Seconds since{};                    ///< when it came into this phase
};

struct Assignment {
  PathId path{};
  NodeId worker{};
};

/// The task queue of §3.1: which path may go on, and which free worker takes it. Pure logic: no messages, no clock.
///
/// A path's next task is queued as soon as the run's policy lets it begin: in rounds, as soon as its own modules are at
/// its outer step (§3.3). It prefers its last worker, then
/// the fastest free worker of the site where its state is, then the fastest of any: AdamW's moments cross a WAN link
/// only when a site is short of workers. A call takes as long however many paths, workers and outer steps there are.
class TaskQueue {
 public:
  /// @param policy  says when a path may begin
  /// @param next_trained  see Timetable
  TaskQueue(
      const Topology& topology, std::int32_t outer_steps, const SyncPolicy& policy = sync_policies().front(),
      std::function<std::int32_t(PathId, std::int32_t)> next_trained = [](PathId /*path*/, std::int32_t step) {
        return step;
      });

  /// Queues the next task of every path whose modules are there: at first, all.
  void start(Seconds now);
  /// Before start: what a journal says of a path, and of a module. With `running`, an attempt by entry.worker is out.
  void restore(PathId path, const PathEntry& entry, bool running);
  void restore(ModuleId module, Version version, const std::map<PathId, std::int32_t>& settled) {
    modules_.restore(module, version, settled);
  }
  /// A version is out, and more contributions are settled. @returns paths whose next task is queued by this
  std::vector<PathId> module_ready(ModuleId module, Version version, const std::vector<SettledPath>& settled,
                                   Seconds now);
  /// The path's state `version` is at a store of `site`. @returns false if it was known already.
  bool committed(PathId path, std::int32_t version, SiteId site, Seconds now);
  /// So many inner steps of the path's next task are at a store of `site`.
  void handed_back(PathId path, std::int32_t inner_steps, SiteId site);
  /// The attempt ended and what it left is asked for. @returns the epoch that the next attempt will have at least
  Epoch question(PathId path, Seconds now);
  /// A state that the attempt made is not finite. @returns false where that was known
  bool refused(PathId path, Epoch epoch, NodeId worker);
  /// Whether all workers that may be given something have made such a state of the path's task.
  bool spoiled_by_all(PathId id) const { return workers_.all_among(path(id).spoiled_by); }
  /// The path's task is queued again.
  void requeue(PathId path, Seconds now);

  void worker_up(NodeId node, SiteId site, double speed, bool idle = true);
  void worker_free(NodeId node);
  void worker_gone(NodeId node);
  /// The paths that the worker runs, or was the last to run.
  const std::set<PathId>& paths_of(NodeId worker) const;

  /// Tasks from this outer step on wait, whatever else holds: at first, none does.
  void hold_from(std::int32_t outer_step) { held_from_ = outer_step; }
  /// The next path and worker to join, or nullopt. The path runs from here on, with a raised epoch.
  /// @param reachable  whether what a path needs can be had now; others stay queued
  std::optional<Assignment> assign(Seconds now, const std::function<bool(PathId)>& reachable);
  std::optional<Assignment> assign(Seconds now) {
    return assign(now, [](PathId) { return true; });
  }
  /// A free worker for an evaluation, taken; nullopt if there is none.
  std::optional<NodeId> take_worker();
  /// Whether the path queued a task or finished as its state and modules now stand. @returns true if it was queued
  bool advance(PathId path, Seconds now);

  // Its worker, outer step and phase are for the queue to change.
  const PathEntry& path(PathId id) const { return paths_[static_cast<std::size_t>(index(id))]; }
  PathEntry& path(PathId id) { return paths_[static_cast<std::size_t>(index(id))]; }
  const ModuleVersions& modules() const { return modules_; }
  /// Shared modules of the path that its next task waits for.
  std::vector<ModuleId> missing_modules(PathId id) const {
    return modules_.awaited(id, path(id).outer_step, path(id).version);
  }
  std::int64_t committed_tasks() const { return committed_tasks_; }
  /// The outer steps that all paths, and in rounds all shared modules, have done.
  std::int32_t lowest_version() const;
  bool all_done() const { return done_ == static_cast<std::int32_t>(paths_.size()); }

 private:
  void put_in_queue(PathId id);
  void take_from_queue(PathId id);
  std::optional<NodeId> worker_for(const PathEntry& entry) const;
  void set_worker(PathId id, NodeId worker);
  void set_free(NodeId worker, bool free);
  void begin_next(PathId id);

  const Topology& topology_;
  std::int32_t outer_steps_;
  std::function<std::int32_t(PathId, std::int32_t)> next_trained_;
  std::int32_t held_from_;
  std::vector<PathEntry> paths_;
  ModuleVersions modules_;
  Workers workers_;
  QueuedTasks queued_;
  std::map<NodeId, std::set<PathId>> paths_of_;  ///< by the worker that runs them, or did last
  LeastOf next_steps_;                           ///< the outer steps of all paths' next tasks
  std::int32_t done_ = 0;
  std::int64_t committed_tasks_ = 0;
};

}  // namespace dipaco
