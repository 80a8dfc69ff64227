#pragma once

#include "core/coordinator/assignments.hpp"
#include "core/coordinator/commits.hpp"
#include "core/coordinator/gradient_doubts.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/questions.hpp"
#include "core/coordinator/replication.hpp"

namespace dipaco {

/// Says what the coming and the loss of a store mean for the tasks: who is told of it, what is asked of others, put to
/// others, or made again.
class StoreChanges {
 public:
  /// Whom they concern.
  struct Concerned {
    Assignments& assignments;
    Commits& commits;
    Questions& questions;
    Replication& replication;
    OuterGradientDoubts& doubts;
  };
  StoreChanges(RunState& run, const Concerned& to) : run_(run), to_(to) {}

  /// A store has come, and has said which states it has.
  void up(NodeId store);
  /// A store is lost.
  void lost(NodeId store);

 private:
  void tell_store(NodeId store, PathId path);
  void tell_worker(NodeId store, PathId path, TaskAttempt& attempt);
  bool is_nearer(NodeId store, const TaskAttempt& attempt) const;
  void without(NodeId store, PathId path);

  RunState& run_;
  Concerned to_;
};

}  // namespace dipaco
