#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <simgrid/s4u.hpp>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/engine/links.hpp"
#include "backends/sim/network/by_node.hpp"
#include "backends/sim/network/inbox.hpp"
#include "backends/sim/network/pairs.hpp"
#include "backends/sim/network/reachability.hpp"
#include "backends/sim/network/transfers.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// The parts of a network that a parting needs.
struct NetworkParts {
  Alarms& alarms;
  LinkUse& links;
  Pairs& pairs;
  Reachability& reach;
  ByNode<SimInbox>& inboxes;
  Transfers& transfers;
  Lines& lines;
};

/// Two nodes that cannot reach each other for the limit, both being up, are parted: what was on its way between them is
/// lost, and both hear PeerLost of each other, once. They are together again with the first message that gets through.
class Partings {
 public:
  /// Watches the links, too.
  Partings(const NetworkParts& parts, Seconds limit);
  Partings(const Partings&) = delete;
  Partings& operator=(const Partings&) = delete;
  ~Partings() = default;

  /// REQUIRES that the ends of the pair are not parted.
  void part(Pair& pair);
  /// They can reach each other again.
  void join(Pair& pair);
  /// The node has been frozen for the limit: it and its peers are parted, and what it has not taken by now is lost.
  void freeze_out(NodeId node);
  /// Nothing gets through between `node` and `peer` (or everyone) for `lasting`.
  void cut(NodeId node, std::optional<NodeId> peer, Seconds lasting);

 private:
  void drop(Pair& pair);
  void part_if_blocked(NodeId one, NodeId other);
  void part_across(Cuts::Id cut);
  void part_across(const simgrid::s4u::Link& link);
  void link_changed(const simgrid::s4u::Link& link);

  NetworkParts parts_;
  Seconds limit_;
  std::map<const simgrid::s4u::Link*, std::uint64_t> changes_;  ///< of each link
};

}  // namespace dipaco
