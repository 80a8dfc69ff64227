#pragma once

#include <set>
#include <vector>

#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/tables/leases.hpp"

namespace dipaco {

/// Gives tasks to workers, and tells those that are at one what has changed about it.
class Assignments {
 public:
  Assignments(RunState& run, Leases& leases, Evaluations& evaluations)
      : run_(run), leases_(leases), evaluations_(evaluations) {}

  /// Gives out what is queued and can be reached, as long as there are free workers. @returns whose task
  std::vector<PathId> assign();
  /// Gives the task to a second worker, which was taken. REQUIRES as PathTable::run_beside.
  void assign_beside(PathId path, NodeId worker);
  /// The path has a new state, and may go on. Wants what is due with that.
  void advance(PathId path);
  /// Notes that the path's next task is queued.
  void queued(PathId path) const { run_.record(EventKind::task_queued, path, NodeId{-1}, 0); }
  /// Tells the worker of a running attempt where things are: at its start, and whenever that has changed.
  /// @param attempt  the path's, or its backup
  void send(PathId path, TaskAttempt& attempt, bool again);
  /// Waits for the running attempt, from now on: twice as long for each time that its worker was asked how far it is.
  /// @param doubted  as long as at first, for its answer
  void lease(PathId path, int asked = 0, bool doubted = false);
  /// A worker has measured its inner steps, so that there are leases for those of whom nothing was known.
  void lease_those_without();
  /// Ends attempts at the path's task, or at an earlier one, that do not count: their workers need not go on.
  void void_attempts(PathId path);
  /// Lets an attempt that is not the newest any more, by a commit or by another attempt, not wait for a store that is
  /// away. REQUIRES that the worker is at one.
  void spare(NodeId worker);
  /// Has a part that nobody has trained anew, unless its store comes back first.
  void drop_lost_part(PathId path);

 private:
  void begin(PathId path, TaskAttempt& attempt);
  std::vector<NodeId> choose_stores(const TaskAttempt& attempt, SiteId site) const;

  RunState& run_;
  Leases& leases_;
  Evaluations& evaluations_;
  std::set<PathId> without_lease_;  ///< running, or were when this was noted
};

}  // namespace dipaco
