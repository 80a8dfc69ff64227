#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/coordinator/assignments.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/tables/leases.hpp"

namespace dipaco {

/// Backup tasks (run.backup_tasks): a task that takes longer than tasks have taken, although nothing has to move for
/// it, is also given to a free worker that should be done with it sooner. Whichever attempt is at all its stores first
/// counts, and the other one's worker is told to stop.
class Backups {
 public:
  Backups(RunState& run, Assignments& assignments) : run_(run), assignments_(assignments) {}

  /// The path's attempt has begun: it is watched.
  void watch(PathId path);
  /// A task's time was measured: what could not be watched until then is.
  void watch_those_unwatched();
  /// Asks the workers of tasks that have become late how far they are, and finds those that a second worker should do.
  void look();
  /// When look() finds more; nullopt: never, as things are.
  std::optional<Seconds> due() const { return watched_.first(); }
  /// Gives to free workers what they should do beside others.
  void give();
  /// The path's attempt has ended without a commit. @returns false where no other runs beside it, which goes on in its
  /// place
  bool take_over(PathId path);

 private:
  bool may_be_given(PathId path) const;
  void watch_again(PathId path, Seconds when, int asked);

  RunState& run_;
  Assignments& assignments_;
  Leases watched_;
  std::set<PathId> unwatched_;  ///< nobody has measured anything yet
  std::set<PathId> wanted_;     ///< late, and computing as far as is known
};

}  // namespace dipaco
