#include <algorithm>
#include <set>
#include <variant>

#include "backends/loopback/transport.hpp"

// What goes wrong in a loopback network on purpose.

namespace dipaco {

void LoopbackNetwork::freeze(NodeId node, Seconds lasting) {
  const std::lock_guard lock(clock_.mutex());
  LoopbackNode& frozen = nodes_.at(node);
  if (!frozen.up) return;
  frozen.frozen_until = std::max(frozen.frozen_until, now() + lasting);
  clock_.wake(thread_of(node));
  const auto same = [this, node, incarnation = frozen.incarnation] {
    return nodes_.at(node).up && nodes_.at(node).incarnation == incarnation;
  };
  if (lasting > options_.limit) {
    clock_.at(now() + options_.limit, [=, this] {
      if (same()) freeze_out(node);
    });
  }
  clock_.at(frozen.frozen_until, [=, this] {
    if (same() && now() >= nodes_.at(node).frozen_until) nodes_.at(node).frozen_out = false;
  });
}

void LoopbackNetwork::freeze_out(NodeId node) {
  LoopbackNode& frozen = nodes_.at(node);
  frozen.frozen_out = true;
  // What it has not taken by now, its peers have given up.
  std::erase_if(frozen.inbox, [&frozen, node](const Incoming& incoming) {
    const auto* const envelope = std::get_if<Envelope>(&incoming);
    const bool drop = envelope != nullptr && envelope->from != node;
    if (drop) frozen.urgent.taken(incoming);
    return drop;
  });
  for (const NodeId peer : std::set<NodeId>(frozen.known)) nodes_.lose_each_other(node, peer);
}

void LoopbackNetwork::wait_until_thawed(NodeId node) {
  Lock lock(clock_.mutex());
  thaw(lock, node, nodes_.at(node).incarnation);
}

void LoopbackNetwork::thaw(Lock& lock, NodeId id, std::int32_t incarnation) {
  const LoopbackNode& node = nodes_.alive(id, incarnation);
  while (nodes_.frozen(node)) {
    clock_.wait(lock, thread_of(id), node.frozen_until, [&] {
      nodes_.alive(id, incarnation);
      return false;
    });
  }
}

void LoopbackNetwork::delay(NodeId node, Seconds lasting) {
  const std::lock_guard lock(clock_.mutex());
  nodes_.at(node).delay = lasting;
  nodes_.at(node).delayed_until = now() + lasting;
}

void LoopbackNetwork::cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) {
  const std::lock_guard lock(clock_.mutex());
  flights_.cut(node, peer, lasting, options_.limit);
}

}  // namespace dipaco
