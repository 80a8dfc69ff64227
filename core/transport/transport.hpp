#pragma once

#include <optional>
#include <variant>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// A message that has come, and who sent it.
struct Envelope {
  NodeId from{};
  Seconds sent{};  ///< on the run's clock, where sender and receiver share it
  Message message;
  Seconds took{};    ///< from its first byte here to its last; 0: not known, or a small one
  Seconds waited{};  ///< before, behind others; as far as sender and receiver share the run's clock
};

/// `node` went away (or has not been heard of for the liveness limit). Comes to every node that has sent to it or heard
/// of it; what was sent to it and not delivered is lost. It may come back, with a higher incarnation in its Hello.
struct PeerLost {
  NodeId node{};
};

/// This node has a preemption notice (Compute::leaving). Comes to workers and evaluators of backends that end a node as
/// soon as it has nothing in hand; where a node lives until its time is up, nothing comes.
struct Notice {};

/// What a node's inbox has.
using Incoming = std::variant<Envelope, PeerLost, Notice>;

/// Moves messages between the nodes of one run. One node, one thread. A call may block, and a blocked node may be
/// killed by an exception that is no std::exception: never swallow one, never call from a destructor.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual NodeId self() const = 0;
  /// How often this node was started before: 0 the first time.
  virtual std::int32_t incarnation() const = 0;
  /// Posts `message` and returns at once; the transport holds it until it is delivered or lost. Delivery is in order
  /// for each pair of nodes, or `PeerLost{to}` reaches this node's inbox. A node may send to itself.
  virtual void send(NodeId to, Message message) = 0;
  /// What is on its way to and from this node, and moves by and by. Nothing where messages arrive at once.
  virtual InMotion in_motion() const { return {}; }
  /// Next message or PeerLost from any node, or nullopt once `timeout` has passed. A timeout below 0 waits for ever.
  virtual std::optional<Incoming> receive(Seconds timeout) = 0;
};

}  // namespace dipaco
