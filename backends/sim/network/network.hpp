#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/engine/links.hpp"
#include "backends/sim/network/by_node.hpp"
#include "backends/sim/network/cuts.hpp"
#include "backends/sim/network/inbox.hpp"
#include "backends/sim/network/pair.hpp"
#include "backends/sim/network/transfer.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// How long the network takes to give up.
struct SimNetworkOptions {
  Seconds limit{10};  ///< from a host's end or a link's failure to PeerLost
  Seconds retry{3};   ///< between attempts at a transfer whose route is broken
};

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
  SimNetwork(std::vector<simgrid::s4u::Host*> hosts, const SimNetworkOptions& options, Alarms& alarms, LinkUse& links);
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;
  ~SimNetwork();

  /// The node's next incarnation begins, with an empty inbox. Who knew the last one hears of its end first.
  void revive(NodeId node);
  /// The node is gone, with all that was on its way from and to it. Its peers hear so one limit later.
  void lose(NodeId node);
  bool up(NodeId node) const { return inboxes_[node].is_open(); }
  std::int32_t incarnation(NodeId node) const { return node_of(node).incarnation; }
  /// The transport of the node's incarnation, for its actor.
  std::unique_ptr<Transport> connect(NodeId node);
  /// Nothing is on its way any more: the simulation can end.
  void stop();

  // What goes wrong on purpose; for nodes that are up. From outside any actor.
  /// The node's calls block until it thaws. Messages still come to its inbox.
  void freeze(NodeId node) { inboxes_[node].freeze(); }
  /// It has been frozen for the limit: it and its peers are parted. What it has not taken by now, they have given up.
  void freeze_out(NodeId node);
  void thaw(NodeId node);
  /// Blocks the node's own actor while it is frozen.
  void hold(NodeId node) { inboxes_[node].hold(); }
  /// What it sends before `until` leaves `delay` later.
  void delay(NodeId node, Seconds delay, Seconds until);
  /// Nothing gets through between `node` and `peer` (or everyone) for `lasting`.
  void cut(NodeId node, std::optional<NodeId> peer, Seconds lasting);

 private:
  friend class SimTransport;
  struct Node {
    simgrid::s4u::Host* host = nullptr;
    std::int32_t incarnation = -1;
    bool loss_untold = false;
    std::set<NodeId> known;   ///< sent to it, or were sent to
    bool frozen_out = false;  ///< for the limit
    Seconds delay{};          ///< of what it sends before delayed_until
    Seconds delayed_until{};
  };
  Node& node_of(NodeId id) { return nodes_[static_cast<std::size_t>(index(id))]; }
  const Node& node_of(NodeId id) const { return nodes_[static_cast<std::size_t>(index(id))]; }
  Pair& pair_of(NodeId from, NodeId to);
  void send(NodeId from, NodeId to, Message message);
  Transfer& take_slot(Pair& pair);
  void start(Transfer& transfer);
  void start_at(Seconds time, Transfer& transfer);
  /// False where it has to wait for the pair's large message that is on its way.
  bool its_turn(Transfer& transfer);
  void free(Transfer& transfer);
  void cancel(Transfer& transfer);
  void cancel_all(Pair& pair);
  void forget(simgrid::s4u::CommPtr flow);
  void sweep_later();
  void flow_ended(const simgrid::s4u::Activity& flow);
  void arrived(Transfer& transfer);
  void retry_or_part(Transfer& transfer);
  void tell_loss(NodeId lost);

  /// A route that is broken or cut, a peer that is frozen out.
  bool blocked(const Pair& pair) const;
  void drop(Pair& pair);
  /// The ends of the pair lose each other. REQUIRES that they are not parted.
  void part(Pair& pair);
  void part_if_blocked(NodeId one, NodeId other);
  void break_off(Cuts::Id cut);
  void link_changed(const simgrid::s4u::Link& link);

  ByNode<Inbox> inboxes_;
  std::vector<Node> nodes_;
  SimNetworkOptions options_;
  Alarms& alarms_;
  LinkUse& links_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::deque<Transfer> slots_;  ///< a deque: addresses stay
  std::vector<Transfer*> free_;
  std::uint64_t serial_ = 0;
  Cuts cuts_;
  std::map<const simgrid::s4u::Link*, std::uint64_t> changes_;  ///< of each link
  // SimGrid holds bare pointers to a flow through its callback, and to one that was cancelled until it has handled
  // that: such a flow is kept for one sweep more.
  simgrid::s4u::CommPtr ended_;
  std::vector<simgrid::s4u::CommPtr> forgotten_;
  std::vector<simgrid::s4u::CommPtr> long_forgotten_;
  bool sweeping_ = false;
  bool stopped_ = false;
};

}  // namespace dipaco
