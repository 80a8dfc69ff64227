#pragma once

#include <set>

#include "backends/sim/engine/links.hpp"
#include "backends/sim/network/cuts.hpp"
#include "backends/sim/network/pair.hpp"
#include "core/base/ids.hpp"

namespace dipaco {

/// Whether one node's messages can reach another now.
class Reachability {
 public:
  explicit Reachability(const LinkUse& links) : links_(links) {}

  /// A link on the way is off, a cut lies between the two, or one of them is frozen out. A node always reaches itself.
  bool blocked(const Pair& pair) const;

  /// The node has been frozen for so long that its peers have given it up.
  void freeze_out(NodeId node) { frozen_out_.insert(node); }
  void let_in(NodeId node) { frozen_out_.erase(node); }

  Cuts& cuts() { return cuts_; }
  const Cuts& cuts() const { return cuts_; }

 private:
  const LinkUse& links_;
  std::set<NodeId> frozen_out_;
  Cuts cuts_;
};

}  // namespace dipaco
