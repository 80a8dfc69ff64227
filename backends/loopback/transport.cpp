#include "backends/loopback/transport.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

std::size_t thread_of(NodeId node) { return static_cast<std::size_t>(index(node)); }

}  // namespace

class LoopbackTransport : public Transport {
 public:
  LoopbackTransport(LoopbackNetwork& network, NodeId self, std::int32_t incarnation)
      : network_(network), self_(self), incarnation_(incarnation) {}

  NodeId self() const override { return self_; }
  std::int32_t incarnation() const override { return incarnation_; }

  void send(NodeId to, Message message) override {
    LoopbackNetwork::Lock lock(network_.clock_.mutex());
    network_.thaw(lock, self_, incarnation_);
    network_.send(self_, to, std::move(message));
  }

  std::optional<Incoming> receive(Seconds timeout) override {
    LoopbackNetwork::Lock lock(network_.clock_.mutex());
    std::optional<Seconds> until;
    if (timeout.count() >= 0) until = network_.now() + timeout;
    auto& me = network_.at(self_);
    const auto ready = [&] {
      network_.alive(self_, incarnation_);
      return network_.frozen(me) || !me.inbox.empty();
    };
    do {
      network_.thaw(lock, self_, incarnation_);
      if (!network_.clock_.wait(lock, thread_of(self_), until, ready)) return std::nullopt;
    } while (network_.frozen(me));
    Incoming incoming = std::move(me.inbox.front());
    me.inbox.pop_front();
    return incoming;
  }

 private:
  LoopbackNetwork& network_;
  NodeId self_;
  std::int32_t incarnation_;
};

LoopbackNetwork::LoopbackNetwork(std::size_t nodes, const LoopbackNetworkOptions& options)
    : options_(options), clock_(nodes, options.test_clock), nodes_(nodes) {}

std::unique_ptr<Transport> LoopbackNetwork::connect(NodeId node) {
  const std::lock_guard lock(clock_.mutex());
  if (over_) throw NodeKilled{};
  Node& joined = at(node);
  check(!joined.up, "a node is connected once at a time");
  if (joined.untold) tell_loss(node);
  if (joined.incarnation >= 0) joined.inbox.clear();
  joined.frozen_until = joined.delayed_until = {};
  joined.frozen_out = false;
  joined.up = true;
  ++joined.incarnation;
  return std::make_unique<LoopbackTransport>(*this, node, joined.incarnation);
}

void LoopbackNetwork::kill(NodeId node) {
  const std::lock_guard lock(clock_.mutex());
  if (!at(node).up && at(node).incarnation >= 0) return;
  lose(node);
  at(node).untold = true;
  if (!options_.test_clock) return tell_loss(node);
  clock_.at(now() + options_.limit, [this, node, incarnation = at(node).incarnation] {
    if (at(node).incarnation == incarnation && at(node).untold) tell_loss(node);
  });
}

void LoopbackNetwork::kill_all() {
  const std::lock_guard lock(clock_.mutex());
  over_ = true;
  for (std::size_t node = 0; node < nodes_.size(); ++node) lose(NodeId{static_cast<std::int32_t>(node)});
}

void LoopbackNetwork::leave(NodeId node) {
  const std::lock_guard lock(clock_.mutex());
  if (at(node).up) lose(node);
  clock_.leave(thread_of(node));
}

bool LoopbackNetwork::stuck() {
  const std::lock_guard lock(clock_.mutex());
  return clock_.stuck();
}

void LoopbackNetwork::wait_until_thawed(NodeId node) {
  Lock lock(clock_.mutex());
  thaw(lock, node, at(node).incarnation);
}

void LoopbackNetwork::pass(NodeId node, Seconds time) {
  Lock lock(clock_.mutex());
  const auto incarnation = at(node).incarnation;
  clock_.wait(lock, thread_of(node), now() + time, [&] {
    alive(node, incarnation);
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

LoopbackNetwork::Node& LoopbackNetwork::alive(NodeId id, std::int32_t incarnation) {
  Node& node = at(id);
  if (!node.up || node.incarnation != incarnation || clock_.stuck()) throw NodeKilled{};
  return node;
}

void LoopbackNetwork::thaw(Lock& lock, NodeId id, std::int32_t incarnation) {
  const Node& node = alive(id, incarnation);
  while (frozen(node)) {
    clock_.wait(lock, thread_of(id), node.frozen_until, [&] {
      alive(id, incarnation);
      return false;
    });
  }
}

void LoopbackNetwork::send(NodeId from, NodeId to, Message message) {
  clock_.run_due();
  Node& sender = at(from);
  Node& receiver = at(to);
  sender.known.insert(to);
  receiver.known.insert(from);
  Flight flight{{from, now(), std::move(message)}, to, sender.incarnation, std::max(receiver.incarnation, 0)};
  if (from == to) return deliver(to, std::move(flight.envelope));
  Seconds arrival = now();
  if (arrival < sender.delayed_until) arrival += sender.delay;
  arrival = std::max(arrival, sender.last_arrival);
  if (arrival <= now()) return post(std::move(flight));
  sender.last_arrival = arrival;
  // An event is copied, a message is not: it waits where the event finds it.
  clock_.at(arrival, [this, late = std::make_shared<Flight>(std::move(flight))] { post(std::move(*late)); });
}

void LoopbackNetwork::post(Flight flight) {
  const NodeId from = flight.envelope.from;
  const Node& sender = at(from);
  if (!sender.up || sender.incarnation != flight.from_incarnation) return;  // it goes with its sender
  bool held = false;
  for (const Cut& cut : cuts_) {
    if (!cut.covers(from, flight.to)) continue;
    if (cut.lost) return deliver(from, PeerLost{flight.to});
    held = true;
  }
  if (held) {
    held_.push_back(std::move(flight));
  } else {
    arrive(std::move(flight));
  }
}

void LoopbackNetwork::arrive(Flight flight) {
  const Node& receiver = at(flight.to);
  const bool there = receiver.up && !receiver.frozen_out;
  if (there ? receiver.incarnation == flight.to_incarnation : receiver.incarnation < 0) {
    // Not there yet: it will find the message.
    deliver(flight.to, std::move(flight.envelope));
  } else if (!there && !receiver.untold) {
    deliver(flight.envelope.from, PeerLost{flight.to});
  }
  // Else the sender has heard of the loss, or will.
}

void LoopbackNetwork::deliver(NodeId to, Incoming incoming) {
  at(to).inbox.push_back(std::move(incoming));
  clock_.wake(thread_of(to));
}

void LoopbackNetwork::lose(NodeId node) {
  Node& gone = at(node);
  gone.up = false;
  if (gone.incarnation < 0) gone.incarnation = 0;
  gone.inbox.clear();
  clock_.wake(thread_of(node));
}

void LoopbackNetwork::tell_loss(NodeId node) {
  at(node).untold = false;
  for (const NodeId peer : at(node).known) {
    if (peer != node && at(peer).up) deliver(peer, PeerLost{node});
  }
}

}  // namespace dipaco
