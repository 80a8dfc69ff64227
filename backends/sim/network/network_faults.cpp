#include <algorithm>
#include <utility>

#include "backends/sim/network/network.hpp"

// What goes wrong in the simulated network, on purpose or by its links.

namespace dipaco {

bool SimNetwork::Cut::covers(NodeId from, NodeId to) const {
  if (from == to) return false;
  if (!peer) return from == node || to == node;
  return (from == node && to == *peer) || (from == *peer && to == node);
}

bool SimNetwork::blocked(const Pair& pair) const {
  if (pair.from == pair.to) return false;
  if (node_of(pair.from).frozen_out || node_of(pair.to).frozen_out) return true;
  if (!pair.local && !links_.open(pair.route)) return true;
  return std::any_of(cuts_.begin(), cuts_.end(), [&](const Cut& cut) { return cut.covers(pair.from, pair.to); });
}

void SimNetwork::drop(Pair& pair) {
  cancel_all(pair);
  pair.parted = true;
}

void SimNetwork::part(Pair& pair) {
  const NodeId one = pair.from;
  const NodeId other = pair.to;
  drop(pair);
  drop(pair_of(other, one));
  push(one, PeerLost{other});
  push(other, PeerLost{one});
}

void SimNetwork::part_if_blocked(NodeId one, NodeId other) {
  Pair& pair = pair_of(one, other);
  if (!pair.parted && node_of(one).up && node_of(other).up && blocked(pair)) part(pair);
}

void SimNetwork::freeze_out(NodeId id) {
  Node& node = node_of(id);
  node.frozen_out = true;
  std::erase_if(node.inbox, [id](const Incoming& incoming) {
    const auto* const envelope = std::get_if<Envelope>(&incoming);
    return envelope != nullptr && envelope->from != id;
  });
  for (const NodeId peer : node.known) part_if_blocked(id, peer);
}

void SimNetwork::thaw(NodeId id) {
  Node& node = node_of(id);
  node.frozen = node.frozen_out = false;
  wake(node);
}

void SimNetwork::delay(NodeId id, Seconds delay, Seconds until) {
  node_of(id).delay = delay;
  node_of(id).delayed_until = until;
}

void SimNetwork::cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) {
  const std::uint64_t number = ++cut_number_;
  cuts_.push_back({.node = node, .peer = peer, .number = number});
  for (Transfer& transfer : slots_) {
    if (transfer.serial == 0 || transfer.flow == nullptr) continue;
    if (!cuts_.back().covers(transfer.pair->from, transfer.pair->to)) continue;
    const simgrid::s4u::CommPtr flow = std::exchange(transfer.flow, nullptr);
    flow->set_data(nullptr);
    flow->cancel();
    forget(flow);
    retry_or_part(transfer);
  }
  if (lasting > options_.limit) alarms_.after(options_.limit, [this, number] { break_off(number); });
  alarms_.after(lasting, [this, number] { std::erase_if(cuts_, [=](const Cut& c) { return c.number == number; }); });
}

void SimNetwork::break_off(std::uint64_t number) {
  const auto found = std::find_if(cuts_.begin(), cuts_.end(), [=](const Cut& c) { return c.number == number; });
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const NodeId one{static_cast<std::int32_t>(k)};
    for (const NodeId other : nodes_[k].known) {
      if (one < other && found->covers(one, other)) part_if_blocked(one, other);
    }
  }
}

void SimNetwork::link_changed(const simgrid::s4u::Link& link) {
  const std::uint64_t change = ++changes_[&link];
  if (stopped_ || link.is_on()) return;
  alarms_.after(options_.limit, [this, &link, change] {
    if (changes_[&link] != change) return;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const NodeId one{static_cast<std::int32_t>(k)};
      for (const NodeId other : nodes_[k].known) {
        const auto crosses = [&](const Pair& pair) { return !pair.local && links_.crosses(pair.route, link); };
        if (crosses(pair_of(one, other))) part_if_blocked(one, other);
      }
    }
  });
}

}  // namespace dipaco
