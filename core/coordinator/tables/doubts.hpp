#pragma once

#include <map>
#include <utility>

#include "core/base/ids.hpp"

namespace dipaco {

/// Outer gradients of committed tasks that may never come, and what has been done about each. Pure logic.
class Doubts {
 public:
  /// That of the path's newest task.
  using Gradient = std::pair<ModuleId, PathId>;

  /// It may be lost: its sender should know.
  void doubt(const Gradient& gradient) { open_.emplace(gradient, false); }
  /// Whoever it was sent to, and whatever its sender knows: it is to be made again from a store.
  void lost(const Gradient& gradient) {
    open_[gradient] = true;
    asked_.erase(gradient);
  }
  /// The worker was asked, and says nothing unless it is lost.
  void asked(const Gradient& gradient, NodeId worker) { asked_[gradient] = worker; }
  /// The module's owner makes it again from this store.
  void makes(const Gradient& gradient, NodeId store) { made_from_[gradient] = store; }
  /// A module has it, or is not to have it.
  void settled(const Gradient& gradient);

  void worker_lost(NodeId worker) { lose(asked_, worker); }
  void store_lost(NodeId store) { lose(made_from_, store); }

  bool empty() const { return open_.empty(); }
  /// Calls act(gradient, whether it is lost) for those about which something is to be done. @param act  returns whether
  /// it has been
  template <class Act>
  void each(Act act) {
    std::erase_if(open_, [&](const auto& entry) { return act(entry.first, entry.second); });
  }

 private:
  void lose(std::map<Gradient, NodeId>& of, NodeId node);

  std::map<Gradient, bool> open_;         ///< and whether it is lost
  std::map<Gradient, NodeId> asked_;      ///< which worker
  std::map<Gradient, NodeId> made_from_;  ///< which store's state
};

}  // namespace dipaco
