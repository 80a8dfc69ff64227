#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/queue/least_of.hpp"
#include "core/queue/path_entry.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// The states of all paths, what they come to together, and which worker has which paths. Pure logic: it does not know
/// whether a path may go on, or on which worker. A call takes as long however many paths and outer steps there are.
class PathTable {
 public:
  /// What every attempt at a task is told, once the first was given out.
  struct FirstAttempt {
    Base base;
    std::int32_t length = 0;  ///< inner steps
  };
  /// The outer step of the path's first task from the given outer step on; see Timetable.
  using NextTrained = std::function<OuterStep(PathId, OuterStep)>;
  PathTable(std::int32_t paths, NextTrained next_trained);

  std::int32_t size() const { return static_cast<std::int32_t>(entries_.size()); }
  const PathEntry& at(PathId id) const { return entries_[static_cast<std::size_t>(index(id))]; }
  PathEntry& at(PathId id) { return entries_[static_cast<std::size_t>(index(id))]; }
  /// The paths that the worker runs, or was the last to run.
  const std::set<PathId>& of_worker(NodeId worker) const;
  /// The outer step of the path's task behind its next one.
  OuterStep step_after(PathId id) const { return next_trained_(id, next(at(id).outer_step)); }
  /// Whether the path trains at this outer step (§2.6.2).
  bool trains(PathId id, OuterStep outer_step) const { return next_trained_(id, outer_step) == outer_step; }
  /// The outer steps that all paths have done.
  std::int32_t lowest_version() const { return number(next_steps_.least()); }
  /// Of all paths, those that a journal told of among them.
  std::int64_t committed_tasks() const { return committed_tasks_; }
  /// The inner steps of these.
  std::int64_t trained() const { return trained_; }
  bool all_done() const { return done_ == size(); }

  /// The path's next task is that behind its newest state.
  void begin_next(PathId id);
  /// What a journal says of a path. With `running`, entry.attempt is out.
  void restore(PathId id, const PathEntry& entry, bool running);
  /// The attempt that is given to this worker begins.
  /// @param first  of the path's task, if this is its first attempt
  void run_on(PathId id, NodeId worker, FirstAttempt first, Seconds now);
  /// The task is given to this worker, too. REQUIRES that an attempt runs, and no other beside it.
  void run_beside(PathId id, NodeId worker, Seconds now);
  /// The attempt that runs beside it takes the place of the other one, which has ended. REQUIRES that there is one.
  void take_over(PathId id);
  /// The state after the path's next task is at a store of `site`: the path waits for its modules.
  void committed(PathId id, SiteId site, Seconds now);
  /// The path has no next task.
  void end(PathId id);

 private:
  void set_worker(PathId id, NodeId worker);

  NextTrained next_trained_;
  std::vector<PathEntry> entries_;
  std::map<NodeId, std::set<PathId>> of_worker_;  ///< by the worker that runs them, or did last
  LeastOf<OuterStep> next_steps_;                 ///< the outer steps of all paths' next tasks
  std::int32_t done_ = 0;
  std::int64_t committed_tasks_ = 0;
  std::int64_t trained_ = 0;
};

}  // namespace dipaco
