#include "core/transport/loopback.hpp"

#include <chrono>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

class LoopbackTransport : public Transport {
 public:
  LoopbackTransport(LoopbackNetwork& network, NodeId self, std::int32_t incarnation)
      : network_(network), self_(self), incarnation_(incarnation) {}

  NodeId self() const override { return self_; }
  std::int32_t incarnation() const override { return incarnation_; }

  void send(NodeId to, Message message) override {
    const std::lock_guard lock(network_.mutex_);
    LoopbackNetwork::Node& me = alive();
    me.known.insert(to);
    LoopbackNetwork::Node& peer = network_.nodes_.at(static_cast<std::size_t>(index(to)));
    peer.known.insert(self_);
    if (!peer.up) {
      // Not there yet: it will find the message. Gone: the sender hears so.
      if (peer.incarnation >= 0) {
        network_.deliver(self_, PeerLost{to});
        return;
      }
    }
    network_.deliver(to, Envelope{self_, network_.now_(), std::move(message)});
  }

  std::optional<Incoming> receive(Seconds timeout) override {
    std::unique_lock lock(network_.mutex_);
    const auto ready = [&] { return !alive().inbox.empty(); };
    auto& arrived = network_.nodes_[static_cast<std::size_t>(index(self_))].arrived;
    if (timeout.count() < 0) {
      arrived.wait(lock, ready);
    } else if (!arrived.wait_for(lock, timeout, ready)) {
      return std::nullopt;
    }
    auto& inbox = alive().inbox;
    Incoming incoming = std::move(inbox.front());
    inbox.pop_front();
    return incoming;
  }

 private:
  /// REQUIRES the network's lock. @throws NodeKilled where this incarnation is over.
  LoopbackNetwork::Node& alive() {
    auto& node = network_.nodes_[static_cast<std::size_t>(index(self_))];
    if (!node.up || node.incarnation != incarnation_) throw NodeKilled{};
    return node;
  }

  LoopbackNetwork& network_;
  NodeId self_;
  std::int32_t incarnation_;
};

LoopbackNetwork::LoopbackNetwork(std::size_t nodes, std::function<Seconds()> now)
    : now_(std::move(now)), nodes_(nodes) {}

std::unique_ptr<Transport> LoopbackNetwork::connect(NodeId node) {
  const std::lock_guard lock(mutex_);
  if (over_) throw NodeKilled{};
  Node& joined = nodes_.at(static_cast<std::size_t>(index(node)));
  check(!joined.up, "a node is connected once at a time");
  if (joined.incarnation >= 0) joined.inbox.clear();
  joined.up = true;
  ++joined.incarnation;
  return std::make_unique<LoopbackTransport>(*this, node, joined.incarnation);
}

void LoopbackNetwork::kill(NodeId node) {
  const std::lock_guard lock(mutex_);
  lose(node);
  for (const NodeId peer : nodes_.at(static_cast<std::size_t>(index(node))).known) {
    if (peer != node && nodes_[static_cast<std::size_t>(index(peer))].up) deliver(peer, PeerLost{node});
  }
}

void LoopbackNetwork::kill_all() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  for (std::size_t node = 0; node < nodes_.size(); ++node) lose(NodeId{static_cast<std::int32_t>(node)});
}

void LoopbackNetwork::deliver(NodeId to, Incoming incoming) {
  Node& node = nodes_[static_cast<std::size_t>(index(to))];
  node.inbox.push_back(std::move(incoming));
  node.arrived.notify_one();
}

void LoopbackNetwork::lose(NodeId node) {
  Node& gone = nodes_.at(static_cast<std::size_t>(index(node)));
  gone.up = false;
  if (gone.incarnation < 0) gone.incarnation = 0;
  gone.inbox.clear();
  gone.arrived.notify_all();
}

}  // namespace dipaco
