#pragma once

#include <map>
#include <vector>

#include "core/coordinator/assignments.hpp"
#include "core/coordinator/diagnosis.hpp"
#include "core/coordinator/gradient_doubts.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/replication.hpp"
#include "core/coordinator/state_refusals.hpp"

namespace dipaco {

/// Takes in which store has which path state, and commits a task once its state is where it should be.
class Commits {
 public:
  /// Whom a commit concerns.
  struct Concerned {
    Assignments& assignments;
    Replication& replication;
    OuterGradientDoubts& doubts;
    StateRefusals& refusals;
    const Diagnosis& diagnosis;
  };
  Commits(RunState& run, const Concerned& to) : run_(run), to_(to) {}

  /// A store has a state. @throws DataError where it is of a task that was never given out
  void state_at(NodeId store, const HeldState& state);
  /// Commits the path's task once its state is at each of an attempt's stores that is there: only then does its worker
  /// send outer gradients. That of a lost attempt, once all who could have its state have answered, or, where another
  /// attempt runs already, once a module has gone on with what it gave.
  void commit_if_complete(PathId path);
  /// Commits the path's task. REQUIRES arrived(path).
  void commit(PathId path);
  /// Whether a store that is there has the state that the path's next task makes.
  bool arrived(PathId path) const;
  /// What the store has of the path's task is lost.
  void forget(PathId path, NodeId store);

 private:
  bool is_applied(PathId path, std::int32_t version) const;
  bool is_over(PathId path, const TaskAttempt& attempt) const;
  bool is_made_by(PathId path, const TaskAttempt& attempt) const;
  /// A store has the state that a path's next task makes.
  struct Arrival {
    NodeId store{};
    HeldState state;
  };
  void note_arrival(NodeId store, const HeldState& state);
  void take(PathId path, const Arrival& counted, const std::vector<Arrival>& arrivals);

  RunState& run_;
  Concerned to_;
  std::map<PathId, std::vector<Arrival>> arrivals_;  ///< of tasks that are not committed yet
};

}  // namespace dipaco
