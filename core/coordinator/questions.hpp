#pragma once

#include "core/coordinator/assignments.hpp"
#include "core/coordinator/backups.hpp"
#include "core/coordinator/commits.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/tables/leases.hpp"

namespace dipaco {

/// Asks stores what has become of an attempt that is late or lost, and commits or requeues its task.
class Questions {
 public:
  /// Whom questions concern.
  struct Concerned {
    Assignments& assignments;
    Commits& commits;
    Backups& backups;
  };
  Questions(RunState& run, Leases& leases, const Concerned& to) : run_(run), leases_(leases), to_(to) {}

  /// The path's attempt has ended, or is late: asks all its stores that are there, unless another runs beside it, which
  /// goes on in its place.
  void question(PathId path);
  /// Asks one store more.
  void ask(PathId path, NodeId store);
  /// A store has answered.
  void answer(NodeId store, const PathStatus& status);
  /// The store is lost: it does not answer any more.
  void store_lost(PathId path, NodeId store);
  /// Asks the workers of attempts that are late how far they are, questions those that do not move, and concludes those
  /// that nobody answers for.
  void expire_leases();

 private:
  void late(const Lease& lease);
  void unanswered(const Lease& lease);
  void lease(const Lease& lease);
  void conclude_if_answered(PathId path);
  void conclude(PathId path);

  RunState& run_;
  Leases& leases_;
  Concerned to_;
};

}  // namespace dipaco
