#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/tables/doubts.hpp"

namespace dipaco {

/// Keeps in mind the outer gradients of committed tasks that may never come. Who should have sent one is asked, as it
/// may be on its way; owners make those that are lost from the stores. Where gradients are exchanged, no store has what
/// they are made of: owners say which they lack, and free workers do the inner steps of those once more
/// (docs/decisions/0020).
class OuterGradientDoubts {
 public:
  explicit OuterGradientDoubts(RunState& run) : run_(run) {}

  /// Whose commit counts.
  struct By {
    bool last = false;     ///< the last attempt's, whose worker knows what it has sent
    bool running = false;  ///< it is not in question
  };
  /// A commit counts. By an attempt that does not run, or by a worker that knew of an owner that is none any more: what
  /// it had to send may never come.
  /// @param sent_to  [L] as PathEntry has it, of the attempt
  void committed(PathId path, const std::vector<Epoch>& sent_to, const By& by);
  /// Doubts all that the path's newest task has to send and that is not settled.
  void doubt_missing(PathId path);
  /// Doubts all that was sent, or is to be, to an owner that the module has no more.
  /// @param anew  it has none of what has come; otherwise only the coordinator had lost it
  void owner_changed(ModuleId module, bool anew);
  /// A worker could not send one, or the module's executor lacks one that a worker is to make again.
  void undelivered(NodeId from, const GradientsLost& message);
  /// Asks for what is in doubt: of its sender, or of owners that have said that they hold the module, where a store has
  /// the state.
  void mend();
  /// When nobody waits any more for senders that an earlier incarnation knew; nullopt: nobody does.
  std::optional<Seconds> due() const;
  /// Of the path's newest task nothing is known but what the journal has: its worker is awaited.
  void restored(PathId path);
  void worker_up(NodeId worker) { unheard_.erase(worker); }
  /// A worker is lost: what it has sent, or made again, may never come.
  void worker_lost(NodeId worker);
  /// A store is lost: an executor may wait for it.
  void store_lost(NodeId store) { doubts_.store_lost(store); }
  /// The module's owner has said up to where the path's contributions are settled.
  void settled(ModuleId module, PathId path);

 private:
  void mend_lost();
  bool mend(const Doubts::Gradient& gradient, bool lost);
  bool ask_sender(const Doubts::Gradient& gradient);
  bool make_again(const Doubts::Gradient& gradient);

  RunState& run_;
  Doubts doubts_;
  std::set<NodeId> unheard_;  ///< workers that an earlier incarnation knew
};

}  // namespace dipaco
