#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// One attempt at a path's next task: who makes it, and where that worker takes from and puts to.
struct TaskAttempt {
  NodeId worker{-1};
  Epoch epoch = 0;                    ///< above those of all earlier attempts at the task; 0: of no attempt
  std::int32_t first_inner_step = 0;  ///< where earlier attempts have left off
  std::optional<Seconds> since{};     ///< when it was given to the worker; nullopt where that is forgotten
  NodeId from_store{-1};              ///< that it has its state from
  std::vector<NodeId> to_stores;      ///< get what it makes
  std::vector<NodeId> were_to;        ///< were to get it, and may have
  std::vector<Epoch> sent_to;         ///< [L] epochs of the owners that its worker was told; 0: in doubt
  bool done = false;                  ///< its worker has ended it: the commit is on the way

  /// Whether it takes its state from the store, or puts one there.
  bool concerns(NodeId store) const;
};

/// Where one path is. A path waits for its own modules, is queued, runs on a worker, or its last attempt is in
/// question.
struct PathEntry {
  enum class Phase : std::uint8_t { waiting, queued, running, in_question, done };
  Phase phase = Phase::waiting;
  std::int32_t version = 0;           ///< newest committed state
  OuterStep outer_step{};             ///< of the path's next task; above `version` where it was not drawn (§2.6.2)
  Epoch state_epoch = 0;              ///< of the attempt that made that state
  std::int32_t inner_steps = 0;       ///< of the next task, handed back so far
  std::int32_t length = 0;            ///< of the next task, in inner steps; 0: it was not given out yet
  std::int32_t state_length = 0;      ///< of the task that made the newest state; 0: the prepared start is it
  std::int64_t trained = 0;           ///< inner steps behind the newest state
  SiteId site{-1};                    ///< of the store that had the newest state first; -1: the prepared start is it
  Base base;                          ///< that the next task begins with, once it was given out or has rested
  Base state_base;                    ///< that the task which made the newest state began with
  TaskAttempt attempt;                ///< that runs, or was the last to
  std::optional<TaskAttempt> backup;  ///< that runs beside it; see Backups
  Epoch last_epoch = 0;               ///< of all attempts at the next task
  std::set<NodeId> asked;             ///< of its to_stores, whose answer to a question is awaited
  bool answered = false;              ///< one of them has answered
  std::set<Epoch> refused;            ///< attempts at the next task whose state was not finite
  std::set<NodeId> spoiled_by;        ///< their workers: they get the task again only where there is no other
  Seconds since{};                    ///< when it came into this phase

  /// The attempt ended and what it left is asked for. REQUIRES that it runs, and no other beside it.
  void question(Seconds now);
  /// The attempt at the next task that this worker makes at this epoch; null where none such runs.
  const TaskAttempt* running(NodeId worker, Epoch epoch) const;
  /// So many inner steps of the next task are at a store of `at_site`.
  void note_handed_back(std::int32_t steps, SiteId at_site);
  /// A state that the attempt made is not finite. @returns false where that was known
  bool note_refused(Epoch its_attempt, NodeId by_worker);
};

}  // namespace dipaco
