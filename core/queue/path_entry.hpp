#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
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

  /// Whether the attempt takes its state from the store, or puts one there.
  bool concerns(NodeId store) const;
  /// The attempt ended and what it left is asked for. @returns the epoch that the next attempt will have at least
  Epoch question(Seconds now);
  /// So many inner steps of the next task are at a store of `at_site`.
  void note_handed_back(std::int32_t steps, SiteId at_site);
  /// A state that the attempt made is not finite. @returns false where that was known
  bool note_refused(Epoch attempt, NodeId by_worker);
};

}  // namespace dipaco
