#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <simgrid/s4u.hpp>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/engine/links.hpp"
#include "backends/sim/network/by_node.hpp"
#include "backends/sim/network/inbox.hpp"
#include "backends/sim/network/incarnations.hpp"
#include "backends/sim/network/lines.hpp"
#include "backends/sim/network/pairs.hpp"
#include "backends/sim/network/partings.hpp"
#include "backends/sim/network/reachability.hpp"
#include "backends/sim/network/transfers.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The transport of simulated nodes. Each message is one flow between two hosts. As on the links of real processes,
/// large ones from one node to another go one after the other, small ones overtake them on the wire, and what overtakes
/// within a pair of nodes waits. Messages within a host take no time. All of it runs on SimGrid's one thread.
///
/// A message is started in the simulation's kernel, which then calls back when it has arrived: one switch between actor
/// and kernel a message, and none of a mailbox's (a receiver that must be there, order of posting).
///
/// Two nodes that cannot reach each other for the limit (a link that is off, a cut, a freeze) are parted: what was on
/// its way between them is lost and both hear PeerLost of each other. Who sends to a node that it is parted from, while
/// that lasts, hears so again at once; then all is as before.
class SimNetwork {
 public:
  /// @param hosts  [nodes] of each node
  SimNetwork(const std::vector<simgrid::s4u::Host*>& hosts, LineOptions lines, const SimNetworkOptions& options,
             Alarms& alarms, LinkUse& links);
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;
  ~SimNetwork() = default;

  /// The node's next incarnation begins, with an empty inbox. Who knew the last one hears of its end first.
  void revive(NodeId node) { incarnations_.begin(node); }
  /// The node is gone, with all that was on its way from and to it. Its peers hear so one limit later.
  void lose(NodeId node);
  bool up(NodeId node) const { return inboxes_[node].is_open(); }
  std::int32_t incarnation(NodeId node) const { return incarnations_.number(node); }
  /// The transport of the node's incarnation, for its actor.
  std::unique_ptr<Transport> connect(NodeId node);
  /// Whom to tell whether urgent messages wait for this incarnation of the node; from any actor or none.
  void tell_urgent(NodeId node, std::function<void(bool)> tell) { inboxes_[node].tell_urgent(std::move(tell)); }
  /// What is on its way to and from the node.
  std::vector<UnderWay> under_way(NodeId node) const;
  /// Nothing is on its way any more: the simulation can end.
  void stop();

  /// Wakes a worker or evaluator: it will be gone. From outside any actor.
  void notice(NodeId node) { inboxes_[node].push(Notice{}); }

  // What goes wrong on purpose; for nodes that are up. From outside any actor.
  /// The node's calls block until it thaws. Messages still come to its inbox.
  void freeze(NodeId node) { inboxes_[node].freeze(); }
  /// It has been frozen for the limit: it and its peers are parted. What it has not taken by now, they have given up.
  void freeze_out(NodeId node) { partings_.freeze_out(node); }
  void thaw(NodeId node);
  /// Blocks the node's own actor while it is frozen.
  void hold(NodeId node) { inboxes_[node].hold(); }
  /// What it sends before `until` leaves `delay` later.
  void delay(NodeId node, Seconds delay, Seconds until) { delays_[node] = {.by = delay, .until = until}; }
  /// Nothing gets through between `node` and `peer` (or everyone) for `lasting`.
  void cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) { partings_.cut(node, peer, lasting); }

 private:
  friend class SimTransport;
  struct Delay {
    Seconds by{};
    Seconds until{};
  };

  void send(NodeId from, NodeId to, Message message);
  void post(NodeId from, NodeId to, Message message);
  LinesHooks lines_hooks();

  ByNode<SimInbox> inboxes_;
  ByNode<Delay> delays_;
  Pairs pairs_;
  Reachability reach_;
  Lines lines_;
  Transfers transfers_;
  Partings partings_;
  Incarnations incarnations_;
};

}  // namespace dipaco
