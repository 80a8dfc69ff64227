#include <algorithm>
#include <utility>

#include "backends/sim/network/network.hpp"

// What goes wrong in the simulated network, on purpose or by its links.

namespace dipaco {

bool SimNetwork::blocked(const Pair& pair) const {
  if (pair.from == pair.to) return false;
  if (node_of(pair.from).frozen_out || node_of(pair.to).frozen_out) return true;
  if (!pair.local && !links_.open(pair.route)) return true;
  return cuts_.between(pair.from, pair.to);
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
  inboxes_[one].push(PeerLost{other});
  inboxes_[other].push(PeerLost{one});
}

void SimNetwork::part_if_blocked(NodeId one, NodeId other) {
  Pair& pair = pair_of(one, other);
  if (!pair.parted && up(one) && up(other) && blocked(pair)) part(pair);
}

void SimNetwork::freeze_out(NodeId id) {
  node_of(id).frozen_out = true;
  inboxes_[id].drop_from_others(id);
  for (const NodeId peer : node_of(id).known) part_if_blocked(id, peer);
}

void SimNetwork::thaw(NodeId id) {
  node_of(id).frozen_out = false;
  inboxes_[id].thaw();
}

void SimNetwork::delay(NodeId id, Seconds delay, Seconds until) {
  node_of(id).delay = delay;
  node_of(id).delayed_until = until;
}

void SimNetwork::cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) {
  const Cuts::Id cut = cuts_.begin(node, peer);
  for (Transfer& transfer : slots_) {
    if (transfer.serial == 0 || transfer.flow == nullptr) continue;
    if (!cuts_.between(transfer.pair->from, transfer.pair->to, cut)) continue;
    const simgrid::s4u::CommPtr flow = std::exchange(transfer.flow, nullptr);
    flow->set_data(nullptr);
    flow->cancel();
    forget(flow);
    retry_or_part(transfer);
  }
  if (lasting > options_.limit) alarms_.after(options_.limit, [this, cut] { break_off(cut); });
  alarms_.after(lasting, [this, cut] { cuts_.end(cut); });
}

void SimNetwork::break_off(Cuts::Id cut) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const NodeId one{static_cast<std::int32_t>(k)};
    for (const NodeId other : nodes_[k].known) {
      if (one < other && cuts_.between(one, other, cut)) part_if_blocked(one, other);
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
