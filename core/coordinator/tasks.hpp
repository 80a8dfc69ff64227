#pragma once

#include <optional>

#include "core/coordinator/assignments.hpp"
#include "core/coordinator/backups.hpp"
#include "core/coordinator/commits.hpp"
#include "core/coordinator/diagnosis.hpp"
#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/gradient_doubts.hpp"
#include "core/coordinator/known/measurements.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/questions.hpp"
#include "core/coordinator/replication.hpp"
#include "core/coordinator/state_refusals.hpp"
#include "core/coordinator/store_changes.hpp"
#include "core/coordinator/tables/leases.hpp"

namespace dipaco {

/// Says what each message, hello and loss means for the tasks: has them given out, committed, questioned and their
/// states copied.
class Tasks {
 public:
  /// Whom tasks concern.
  struct Concerned {
    OuterGradientDoubts& doubts;
    Evaluations& evaluations;
    StateRefusals& refusals;
    const Diagnosis& diagnosis;
  };
  Tasks(RunState& run, const Concerned& to);

  /// Queues the first tasks of a new run.
  void start();
  /// Goes on where the journal ends. @param run_goes_on  attempts may be out yet
  void restore(bool run_goes_on);
  /// Gives tasks out.
  void assign();
  /// Looks after attempts that are late.
  void look_after_late();
  /// When the first attempt is late; nullopt: none can be.
  std::optional<Seconds> late_at() const;

  /// A store has a path state.
  void state_at(NodeId store, const HeldState& state) { commits_.state_at(store, state); }
  /// A module has gone on, perhaps with what an attempt gave whose state came to light late.
  void module_ready(ModuleId module);
  /// A store has answered a question.
  void answer(NodeId store, const PathStatus& status) { questions_.answer(store, status); }
  /// A worker is at no task any more.
  void ended(NodeId worker, const TaskDone& message);
  /// A worker says hello. Its attempt goes on, or is questioned if it is at another one.
  void worker_up(NodeId node, const Hello& hello);
  /// A worker is lost: its attempts are questioned.
  void worker_lost(NodeId node);
  /// A store says hello, with all path states that it has.
  void store_up(NodeId node, const Hello& hello);
  /// A store is lost: what it had is asked of others, put to others, or made again.
  void store_lost(NodeId node) { stores_.lost(node); }
  /// Has states copied that too few stores have.
  void replicate_all() { replication_.replicate_all(); }

 private:
  void restore(PathId path, const PathRecord& record, bool run_goes_on);
  void backup_ended(PathId path, bool committed);
  PathEntry* with_backup_on(NodeId worker);
  void answer_worker(NodeId node, const Hello& hello);

  RunState& run_;
  Concerned to_;
  Leases leases_;
  Replication replication_;
  Assignments assignments_;
  Backups backups_;
  Commits commits_;
  Questions questions_;
  Measurements measurements_;
  StoreChanges stores_;
};

}  // namespace dipaco
