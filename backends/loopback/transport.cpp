#include "backends/loopback/transport.hpp"

#include <utility>

namespace dipaco {

class LoopbackTransport : public Transport {
 public:
  LoopbackTransport(LoopbackNetwork& network, NodeId self, std::int32_t incarnation)
      : network_(network), self_(self), incarnation_(incarnation) {}

  NodeId self() const override { return self_; }
  std::int32_t incarnation() const override { return incarnation_; }

  void send(NodeId to, Message message) override { network_.send(self_, incarnation_, to, std::move(message)); }
  std::optional<Incoming> receive(Seconds timeout) override { return network_.receive(self_, incarnation_, timeout); }

 private:
  LoopbackNetwork& network_;
  NodeId self_;
  std::int32_t incarnation_;
};

LoopbackNetwork::LoopbackNetwork(std::size_t nodes, const LoopbackNetworkOptions& options)
    : options_(options), clock_(nodes, options.test_clock), nodes_(nodes, clock_), flights_(nodes_, clock_) {}

std::unique_ptr<Transport> LoopbackNetwork::connect(NodeId node) {
  const std::lock_guard lock(clock_.mutex());
  if (over_) throw NodeKilled{};
  return std::make_unique<LoopbackTransport>(*this, node, nodes_.begin(node).incarnation);
}

void LoopbackNetwork::tell_urgent(NodeId node, std::function<void(bool)> tell) {
  const std::lock_guard lock(clock_.mutex());
  nodes_.at(node).urgent.told_to(std::move(tell));
}

void LoopbackNetwork::kill(NodeId node) {
  const std::lock_guard lock(clock_.mutex());
  LoopbackNode& killed = nodes_.at(node);
  if (!killed.up && killed.incarnation >= 0) return;
  nodes_.lose(node);
  killed.untold = true;
  if (!options_.test_clock) return nodes_.tell_loss(node);
  clock_.at(now() + options_.limit, [this, node, incarnation = killed.incarnation] {
    if (nodes_.at(node).incarnation == incarnation && nodes_.at(node).untold) nodes_.tell_loss(node);
  });
}

void LoopbackNetwork::kill_all() {
  const std::lock_guard lock(clock_.mutex());
  over_ = true;
  for (std::size_t node = 0; node < nodes_.size(); ++node) nodes_.lose(NodeId{static_cast<std::int32_t>(node)});
}

void LoopbackNetwork::leave(NodeId node) {
  const std::lock_guard lock(clock_.mutex());
  if (nodes_.at(node).up) nodes_.lose(node);
  clock_.leave(thread_of(node));
}

bool LoopbackNetwork::stuck() {
  const std::lock_guard lock(clock_.mutex());
  return clock_.stuck();
}

void LoopbackNetwork::pass(NodeId node, Seconds time) {
  Lock lock(clock_.mutex());
  const auto incarnation = nodes_.at(node).incarnation;
  clock_.wait(lock, thread_of(node), now() + time, [&] {
    nodes_.alive(node, incarnation);
    return false;
  });
  thaw(lock, node, incarnation);
}

void LoopbackNetwork::rest(NodeId node, Seconds time) {
  Lock lock(clock_.mutex());
  clock_.wait(lock, thread_of(node), now() + time, [this] {
    if (over_ || clock_.stuck()) throw NodeKilled{};
    return false;
  });
}

void LoopbackNetwork::send(NodeId from, std::int32_t incarnation, NodeId to, Message message) {
  Lock lock(clock_.mutex());
  thaw(lock, from, incarnation);
  flights_.send(from, to, std::move(message));
}

std::optional<Incoming> LoopbackNetwork::receive(NodeId node, std::int32_t incarnation, Seconds timeout) {
  Lock lock(clock_.mutex());
  std::optional<Seconds> until;
  if (timeout.count() >= 0) until = now() + timeout;
  LoopbackNode& me = nodes_.at(node);
  const auto ready = [&] {
    nodes_.alive(node, incarnation);
    return nodes_.frozen(me) || !me.inbox.empty();
  };
  do {
    thaw(lock, node, incarnation);
    if (!clock_.wait(lock, thread_of(node), until, ready)) return std::nullopt;
  } while (nodes_.frozen(me));
  Incoming incoming = std::move(me.inbox.front());
  me.inbox.pop_front();
  me.urgent.taken(incoming);
  return incoming;
}

}  // namespace dipaco
