#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Keeps in mind the outer gradients of committed tasks that may never come, and has owners make them from the stores.
/// Where gradients are exchanged, no store has what they are made of: owners say which they lack, and free workers do
/// the inner steps of those once more (docs/decisions/0020).
class OuterGradientDoubts {
 public:
  explicit OuterGradientDoubts(RunState& run) : run_(run) {}

  /// A commit counts. By a worker that was lost since, by one that another store has refused, or by one that knew of an
  /// owner that is none any more: what it had to send may never come.
  /// @param sent_to    [L] as PathEntry has it, of the attempt
  /// @param by_running  whether the attempt runs
  void committed(PathId path, const std::vector<Epoch>& sent_to, bool by_running);
  /// Doubts all that the path's newest task has to send and that is not settled.
  void doubt_missing(PathId path);
  /// Doubts all that was sent, or is to be, to an owner that the module has no more.
  void owner_changed(ModuleId module);
  /// A worker could not send one, or the module's executor lacks one that a worker is to make again.
  void undelivered(NodeId from, const GradientsLost& message);
  /// Asks for what is in doubt: of owners that have said that they hold the module, where a store has the state.
  void mend();
  /// A worker is lost: what it has made again may never come.
  void maker_lost(NodeId worker);

 private:
  void mend_lost();
  RunState& run_;
  std::set<std::pair<ModuleId, PathId>> doubts_;
};

}  // namespace dipaco
