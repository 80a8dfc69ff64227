#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/transport/transport.hpp"

namespace dipaco {

/// Thrown out of a node's next seam call once it was killed: like a real loss, it is no std::exception.
struct NodeKilled {};

/// Nodes of one process, a thread each, that exchange messages through inboxes in memory. A complete transport: order
/// for each pair, PeerLost to those who knew a lost node, incarnations. Thread-safe.
class LoopbackNetwork {
 public:
  /// @param now  the run's clock, for Envelope::sent
  LoopbackNetwork(std::size_t nodes, std::function<Seconds()> now);

  /// The transport of `node`'s next incarnation. Its inbox starts empty: what was in flight to an earlier one is lost.
  /// @throws NodeKilled after kill_all
  std::unique_ptr<Transport> connect(NodeId node);
  /// The node is gone: its calls throw NodeKilled, PeerLost goes to every node that exchanged messages with it.
  void kill(NodeId node);
  /// No message comes any more, for ever: every receive, send and connect throws NodeKilled. Ends the threads of a run.
  void kill_all();

 private:
  friend class LoopbackTransport;
  struct Node {
    std::condition_variable arrived;
    std::deque<Incoming> inbox;
    std::set<NodeId> known;         ///< who sent to it or was sent to
    std::int32_t incarnation = -1;  ///< -1: never connected
    bool up = false;
  };

  void deliver(NodeId to, Incoming incoming);
  void lose(NodeId node);

  std::function<Seconds()> now_;
  std::mutex mutex_;
  std::vector<Node> nodes_;
  bool over_ = false;  ///< kill_all was called
};

}  // namespace dipaco
