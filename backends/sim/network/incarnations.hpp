#pragma once

#include <cstdint>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/network/by_node.hpp"
#include "backends/sim/network/inbox.hpp"
#include "backends/sim/network/pairs.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// The lives of each node, one after the other, and how its peers hear that one has ended: one limit later, or before
/// the next one has anything to say.
class Incarnations {
 public:
  Incarnations(const Pairs& pairs, ByNode<SimInbox>& inboxes, Alarms& alarms, Seconds limit);

  /// The next one begins; the inbox opens.
  void begin(NodeId node);
  /// This one has ended; the inbox closes.
  void end(NodeId node);
  /// Of the node's last incarnation, from 0; -1 before the first.
  std::int32_t number(NodeId node) const { return nodes_[node].number; }
  /// The node's peers will hear of its end.
  bool untold(NodeId node) const { return nodes_[node].untold; }

 private:
  struct Node {
    std::int32_t number = -1;
    bool untold = false;
  };

  void tell(NodeId lost);

  const Pairs& pairs_;
  ByNode<SimInbox>& inboxes_;
  Alarms& alarms_;
  Seconds limit_;
  ByNode<Node> nodes_;
};

}  // namespace dipaco
