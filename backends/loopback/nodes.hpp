#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>

#include "backends/loopback/clock.hpp"
#include "core/transport/transport.hpp"
#include "core/transport/urgent_mail.hpp"

namespace dipaco {

/// Thrown out of a node's next seam call once it was killed: like a real loss, it is no std::exception.
struct NodeKilled {};

/// The clock's number for a node's thread.
inline std::size_t thread_of(NodeId node) { return static_cast<std::size_t>(index(node)); }

/// One node of a loopback network.
struct LoopbackNode {
  std::deque<Incoming> inbox;
  UrgentMail urgent;
  std::set<NodeId> known;         ///< who sent to it or was sent to
  std::int32_t incarnation = -1;  ///< -1: never connected
  bool up = false;
  bool untold = false;      ///< it is gone, and its peers have not heard yet
  Seconds frozen_until{};   ///< past: it is not frozen
  bool frozen_out = false;  ///< frozen for longer than the limit
  Seconds delay{};          ///< of what it sends before delayed_until
  Seconds delayed_until{};
  Seconds last_arrival{};  ///< of anything that it sent
};

/// The nodes of a loopback network: their inboxes, and who hears of whose loss. Each call needs the clock's mutex
/// locked.
class LoopbackNodes {
 public:
  LoopbackNodes(std::size_t nodes, LoopbackClock& clock) : clock_(clock), nodes_(nodes) {}

  std::size_t size() const { return nodes_.size(); }
  LoopbackNode& at(NodeId node) { return nodes_.at(thread_of(node)); }
  /// @throws NodeKilled where the node's incarnation is another, or nothing will ever happen again
  LoopbackNode& alive(NodeId node, std::int32_t incarnation);
  bool frozen(const LoopbackNode& node) const { return node.up && clock_.now() < node.frozen_until; }

  /// The node's next incarnation. Its inbox starts empty but for what came before the first one.
  LoopbackNode& begin(NodeId node);
  void deliver(NodeId to, Incoming incoming);
  /// The node is gone, and its inbox with it. Nobody hears of it yet.
  void lose(NodeId node);
  /// Who exchanged messages with the lost node hears of its loss.
  void tell_loss(NodeId node);
  /// Both, where they are up, hear that they have lost each other.
  void lose_each_other(NodeId a, NodeId b);

 private:
  LoopbackClock& clock_;
  std::deque<LoopbackNode> nodes_;
};

}  // namespace dipaco
