#include "backends/sim/network/partings.hpp"

namespace dipaco {

Partings::Partings(const NetworkParts& parts, Seconds limit) : parts_(parts), limit_(limit) {
  simgrid::s4u::Link::on_state_change_cb([this](const simgrid::s4u::Link& link) { link_changed(link); });
}

void Partings::drop(Pair& pair) {
  parts_.transfers.lose(pair);
  pair.parted = true;
  parts_.lines.parted({pair.from, pair.to});
}

void Partings::part(Pair& pair) {
  const NodeId one = pair.from;
  const NodeId other = pair.to;
  drop(pair);
  drop(parts_.pairs.of(other, one));
  parts_.inboxes[one].push(PeerLost{other});
  parts_.inboxes[other].push(PeerLost{one});
}

void Partings::join(Pair& pair) { pair.parted = parts_.pairs.of(pair.to, pair.from).parted = false; }

void Partings::part_if_blocked(NodeId one, NodeId other) {
  Pair& pair = parts_.pairs.of(one, other);
  const bool up = parts_.inboxes[one].is_open() && parts_.inboxes[other].is_open();
  if (!pair.parted && up && parts_.reach.blocked(pair)) part(pair);
}

void Partings::freeze_out(NodeId node) {
  parts_.reach.freeze_out(node);
  parts_.inboxes[node].drop_from_others(node);
  for (const NodeId peer : parts_.pairs.known(node)) part_if_blocked(node, peer);
}

void Partings::cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) {
  const Cuts::Id cut = parts_.reach.cuts().begin(node, peer);
  parts_.transfers.interrupt(cut);
  if (lasting > limit_) parts_.alarms.after(limit_, [this, cut] { part_across(cut); });
  parts_.alarms.after(lasting, [this, cut] { parts_.reach.cuts().end(cut); });
}

void Partings::part_across(Cuts::Id cut) {
  for (std::int32_t k = 0; k < parts_.pairs.nodes(); ++k) {
    const NodeId one{k};
    for (const NodeId other : parts_.pairs.known(one)) {
      if (one < other && parts_.reach.cuts().between(one, other, cut)) part_if_blocked(one, other);
    }
  }
}

void Partings::part_across(const simgrid::s4u::Link& link) {
  for (std::int32_t k = 0; k < parts_.pairs.nodes(); ++k) {
    const NodeId one{k};
    for (const NodeId other : parts_.pairs.known(one)) {
      const Pair& pair = parts_.pairs.of(one, other);
      if (!pair.local() && parts_.links.crosses(pair.route, link)) part_if_blocked(one, other);
    }
  }
}

void Partings::link_changed(const simgrid::s4u::Link& link) {
  parts_.links.changed(link);
  const std::uint64_t change = ++changes_[&link];
  if (link.is_on()) return;
  parts_.alarms.after(limit_, [this, &link, change] {
    if (changes_[&link] == change) part_across(link);
  });
}

}  // namespace dipaco
