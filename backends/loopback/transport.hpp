#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "backends/loopback/clock.hpp"
#include "backends/loopback/flights.hpp"
#include "backends/loopback/nodes.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

struct LoopbackNetworkOptions {
  Seconds limit{10};        ///< liveness limit: who is silent for so long is lost
  bool test_clock = false;  ///< LoopbackClock's; a loss is then told after the limit, else at once
};

/// Nodes of one process, a thread each, that exchange messages through inboxes in memory. A complete transport: order
/// for each pair, PeerLost to those who knew a lost node, incarnations. Thread-safe. Its faults do to a node what a
/// network and a machine may do.
class LoopbackNetwork {
 public:
  explicit LoopbackNetwork(std::size_t nodes, const LoopbackNetworkOptions& options = {});

  /// The run's clock.
  Seconds now() const { return clock_.now(); }

  /// The transport of `node`'s next incarnation. Its inbox starts empty: what was in flight to an earlier one is lost.
  /// @throws NodeKilled after kill_all
  std::unique_ptr<Transport> connect(NodeId node);
  /// Whom to tell whether urgent messages wait for this incarnation of the node; on any thread.
  void tell_urgent(NodeId node, std::function<void(bool)> tell);
  /// The node is gone: its calls throw NodeKilled, PeerLost goes to every node that exchanged messages with it.
  void kill(NodeId node);
  /// No message comes any more, for ever: every receive, send and connect throws NodeKilled. Ends the threads of a run.
  void kill_all();
  /// The node's thread has ended and will not connect again: who sends to it from now on hears that it is lost.
  void leave(NodeId node);
  /// True once all nodes waited for messages without a limit, on a test's clock: all were killed.
  bool stuck();

  /// The node's calls block for `lasting`. Longer than the limit, it and its peers hear that they have lost each other,
  /// and until it is over who sends to it hears so again.
  void freeze(NodeId node, Seconds lasting);
  /// What the node sends in the next `lasting` arrives that much later, and nothing overtakes it.
  void delay(NodeId node, Seconds lasting);
  /// What is sent between the node and `peer`, or everyone, waits for `lasting`. Longer than the limit, it is lost,
  /// both sides hear so, and who sends from then on hears so again.
  void cut(NodeId node, std::optional<NodeId> peer, Seconds lasting);

  // Calls of the node's own thread. They throw NodeKilled where it is gone.
  /// Blocks while the node is frozen.
  void wait_until_thawed(NodeId node);
  /// Lets `time` pass for a node that is up: it computes.
  void pass(NodeId node, Seconds time);
  /// Lets `time` pass for a node that was killed: it begins anew afterwards.
  void rest(NodeId node, Seconds time);

 private:
  friend class LoopbackTransport;
  using Lock = std::unique_lock<std::mutex>;

  void send(NodeId from, std::int32_t incarnation, NodeId to, Message message);
  std::optional<Incoming> receive(NodeId node, std::int32_t incarnation, Seconds timeout);
  // These need the lock.
  void thaw(Lock& lock, NodeId node, std::int32_t incarnation);
  void freeze_out(NodeId node);

  const LoopbackNetworkOptions options_;
  LoopbackClock clock_;
  LoopbackNodes nodes_;
  LoopbackFlights flights_;
  bool over_ = false;  ///< kill_all was called
};

}  // namespace dipaco
