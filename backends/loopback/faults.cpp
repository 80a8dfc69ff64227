#include <algorithm>
#include <utility>

#include "backends/loopback/transport.hpp"

// What goes wrong in a loopback network on purpose.

namespace dipaco {

bool LoopbackNetwork::Cut::covers(NodeId from, NodeId to) const {
  if (from == to) return false;
  if (!peer) return from == node || to == node;
  return (from == node && to == *peer) || (from == *peer && to == node);
}

void LoopbackNetwork::freeze(NodeId node, Seconds lasting) {
  const std::lock_guard lock(clock_.mutex());
  Node& frozen = at(node);
  if (!frozen.up) return;
  frozen.frozen_until = std::max(frozen.frozen_until, now() + lasting);
  clock_.wake(static_cast<std::size_t>(index(node)));
  const auto same = [this, node, incarnation = frozen.incarnation] {
    return at(node).up && at(node).incarnation == incarnation;
  };
  if (lasting > options_.limit) {
    clock_.at(now() + options_.limit, [=, this] {
      if (same()) freeze_out(node);
    });
  }
  clock_.at(frozen.frozen_until, [=, this] {
    if (same() && now() >= at(node).frozen_until) at(node).frozen_out = false;
  });
}

void LoopbackNetwork::freeze_out(NodeId node) {
  Node& frozen = at(node);
  frozen.frozen_out = true;
  // What it has not taken by now, its peers have given up.
  std::erase_if(frozen.inbox, [node](const Incoming& incoming) {
    const auto* envelope = std::get_if<Envelope>(&incoming);
    return envelope != nullptr && envelope->from != node;
  });
  for (const NodeId peer : std::set<NodeId>(frozen.known)) lose_each_other(node, peer);
}

void LoopbackNetwork::delay(NodeId node, Seconds lasting) {
  const std::lock_guard lock(clock_.mutex());
  at(node).delay = lasting;
  at(node).delayed_until = now() + lasting;
}

void LoopbackNetwork::cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) {
  const std::lock_guard lock(clock_.mutex());
  const std::uint64_t number = ++cut_number_;
  cuts_.push_back({.node = node, .peer = peer, .number = number});
  if (lasting > options_.limit) clock_.at(now() + options_.limit, [=, this] { break_off(number); });
  clock_.at(now() + lasting, [=, this] { mend(number); });
}

void LoopbackNetwork::break_off(std::uint64_t number) {
  const auto found = std::find_if(cuts_.begin(), cuts_.end(), [=](const Cut& cut) { return cut.number == number; });
  found->lost = true;
  std::erase_if(held_, [&](const Flight& flight) { return found->covers(flight.envelope.from, flight.to); });
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const NodeId one{static_cast<std::int32_t>(k)};
    for (const NodeId other : nodes_[k].known) {
      if (one < other && found->covers(one, other)) lose_each_other(one, other);
    }
  }
}

void LoopbackNetwork::mend(std::uint64_t number) {
  std::erase_if(cuts_, [=](const Cut& cut) { return cut.number == number; });
  for (Flight& flight : std::exchange(held_, {})) post(std::move(flight));
}

void LoopbackNetwork::lose_each_other(NodeId a, NodeId b) {
  if (a == b || !at(a).up || !at(b).up) return;
  deliver(a, PeerLost{b});
  deliver(b, PeerLost{a});
}

}  // namespace dipaco
