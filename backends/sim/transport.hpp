#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "backends/sim/alarms.hpp"
#include "backends/sim/links.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// How long the network takes to give up.
struct SimNetworkOptions {
  Seconds limit{10};  ///< from a host's end or a link's failure to PeerLost
  Seconds retry{3};   ///< between attempts at a transfer whose route is broken
};

/// The transport of simulated nodes. Each message is one flow between two hosts, so that small ones overtake large ones
/// on the wire; what overtakes within a pair of nodes waits, as one TCP stream would hold it back. Messages within a
/// host take no time. All of it runs on SimGrid's one thread.
///
/// A message is started in the simulation's kernel, which then calls back when it has arrived: one switch between actor
/// and kernel a message, and none of a mailbox's (a receiver that must be there, order of posting).
class SimNetwork {
 public:
  /// @param hosts     [nodes] of each node
  /// @param cut_off   called when a node has been out of the coordinator's reach for the limit; true where it begins
  ///                  anew, else it and the coordinator hear PeerLost of each other
  SimNetwork(std::vector<simgrid::s4u::Host*> hosts, const SimNetworkOptions& options, Alarms& alarms, LinkUse& links,
             std::function<bool(NodeId)> cut_off);
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;
  ~SimNetwork();

  /// The node's next incarnation begins, with an empty inbox. Who knew the last one hears of its end first.
  void revive(NodeId node);
  /// The node is gone, with all that was on its way from and to it. Its peers hear so one limit later.
  void lose(NodeId node);
  bool up(NodeId node) const { return node_of(node).up; }
  /// The transport of the node's incarnation, for its actor.
  std::unique_ptr<Transport> connect(NodeId node);
  /// Nothing is on its way any more: the simulation can end.
  void stop();

 private:
  friend class SimTransport;
  /// Messages from one node to another.
  struct Pair {
    NodeId from{};
    NodeId to{};
    bool local = false;  ///< both on one host
    RouteId route{};
    std::uint64_t sent = 0;
    std::uint64_t delivered = 0;                             ///< or lost: the number that may be delivered next
    std::map<std::uint64_t, std::optional<Envelope>> early;  ///< arrived before an older one; nullopt: lost
    Seconds cut{-1e9};                                       ///< when its ends last heard of a cut
  };
  struct Transfer {
    Envelope envelope;
    Pair* pair = nullptr;
    std::uint64_t number = 0;       ///< within the pair
    std::uint64_t serial = 0;       ///< of this use of the slot; 0: free
    std::optional<Seconds> broken;  ///< when its route first failed
    simgrid::s4u::CommPtr flow;
  };
  struct Node {
    simgrid::s4u::Host* host = nullptr;
    std::int32_t incarnation = -1;
    bool up = false;
    bool loss_untold = false;
    std::set<NodeId> known;  ///< sent to it, or were sent to
    std::deque<Incoming> inbox;
    bool waiting = false;
    simgrid::s4u::SemaphorePtr arrived;
  };

  Node& node_of(NodeId id) { return nodes_[static_cast<std::size_t>(index(id))]; }
  const Node& node_of(NodeId id) const { return nodes_[static_cast<std::size_t>(index(id))]; }
  Pair& pair_of(NodeId from, NodeId to);
  void send(NodeId from, NodeId to, Message message);
  std::optional<Incoming> receive(NodeId self, Seconds timeout);
  Transfer& take_slot();
  void start(Transfer& transfer);
  void free(Transfer& transfer);
  void flow_ended(const simgrid::s4u::Activity& flow);
  void retry_or_lose(Transfer& transfer);
  /// Message `number` of the pair is there (or lost): delivers what may be delivered now.
  void settle(Pair& pair, std::uint64_t number, std::optional<Envelope> envelope);
  void push(NodeId to, Incoming incoming);
  void tell_loss(NodeId lost);
  void tell_cut(Pair& pair);

  std::vector<Node> nodes_;
  SimNetworkOptions options_;
  Alarms& alarms_;
  LinkUse& links_;
  std::function<bool(NodeId)> cut_off_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::deque<Transfer> slots_;  ///< a deque: addresses stay
  std::vector<Transfer*> free_;
  std::uint64_t serial_ = 0;
  simgrid::s4u::CommPtr ended_;                   ///< the last one: SimGrid still looks at it after its callback
  std::vector<simgrid::s4u::CommPtr> cancelled_;  ///< SimGrid still holds bare pointers to them
  bool stopped_ = false;
};

}  // namespace dipaco
