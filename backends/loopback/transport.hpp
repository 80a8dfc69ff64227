#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "backends/loopback/clock.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// Thrown out of a node's next seam call once it was killed: like a real loss, it is no std::exception.
struct NodeKilled {};

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
  struct Node {
    std::deque<Incoming> inbox;
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
  struct Flight {
    Envelope envelope;
    NodeId to{};
    std::int32_t from_incarnation = 0;
    std::int32_t to_incarnation = 0;
  };
  struct Cut {
    NodeId node{};
    std::optional<NodeId> peer;
    std::uint64_t number = 0;
    bool lost = false;  ///< it has lasted for the limit
    bool covers(NodeId from, NodeId to) const;
  };
  using Lock = std::unique_lock<std::mutex>;

  // All need the lock.
  Node& at(NodeId node) { return nodes_.at(static_cast<std::size_t>(index(node))); }
  Node& alive(NodeId node, std::int32_t incarnation);
  bool frozen(const Node& node) const { return node.up && now() < node.frozen_until; }
  void thaw(Lock& lock, NodeId node, std::int32_t incarnation);
  void send(NodeId from, NodeId to, Message message);
  void post(Flight flight);
  void arrive(Flight flight);
  void deliver(NodeId to, Incoming incoming);
  void lose(NodeId node);
  void tell_loss(NodeId node);
  void freeze_out(NodeId node);
  void break_off(std::uint64_t cut);
  void mend(std::uint64_t cut);
  void lose_each_other(NodeId a, NodeId b);

  const LoopbackNetworkOptions options_;
  LoopbackClock clock_;
  std::deque<Node> nodes_;
  std::vector<Cut> cuts_;
  std::vector<Flight> held_;  ///< by cuts, in the order they were sent
  std::uint64_t cut_number_ = 0;
  bool over_ = false;  ///< kill_all was called
};

}  // namespace dipaco
