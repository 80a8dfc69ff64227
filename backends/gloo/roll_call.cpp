#include "backends/gloo/roll_call.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {

void Roll::note(const Event& event, NodeId from, std::int32_t incarnation) {
  if (event.kind != EventKind::node_up && event.kind != EventKind::node_down) return;
  const auto [known, is_new] = nodes.try_emplace(event.node);
  Presence& node = known->second;
  if (from == event.node) node.incarnation = std::max(node.incarnation, incarnation);
  if (!is_new && event.time < node.since) return;
  const bool up = event.kind == EventKind::node_up;
  if (is_new || up != node.up || from == event.node) node.since = event.time;
  node.up = up;
}

RollCall::RollCall(const Roll& before, EventLog& log, std::function<std::int32_t(NodeId)> incarnation_of)
    : log_(log), incarnation_of_(std::move(incarnation_of)), until_(before.until) {
  for (const auto& [node, presence] : before.nodes) {
    if (node == kCoordinator) {
      record(EventKind::node_down, node, until_);
    } else if (presence.up) {
      unheard_.emplace(node, presence.incarnation);
    } else {
      away_.insert(node);
    }
  }
}

void RollCall::note(const Incoming& incoming, Seconds now) {
  if (const auto* const gone = std::get_if<PeerLost>(&incoming)) {
    lost(gone->node, now);
  } else if (const auto* const envelope = std::get_if<Envelope>(&incoming)) {
    heard(envelope->from, now);
  }
}

void RollCall::heard(NodeId node, Seconds now) {
  const auto unheard = unheard_.find(node);
  if (unheard != unheard_.end()) {
    if (incarnation_of_(node) != unheard->second) record(EventKind::node_down, node, until_);
    unheard_.erase(unheard);
  }
  if (away_.erase(node) > 0) record(EventKind::node_up, node, now);
}

void RollCall::lost(NodeId node, Seconds now) {
  const bool unheard = unheard_.erase(node) > 0;
  if (away_.insert(node).second) record(EventKind::node_down, node, unheard ? until_ : now);
}

void RollCall::close() {
  for (const auto& [node, incarnation] : unheard_) record(EventKind::node_down, node, until_);
  unheard_.clear();
}

void RollCall::record(EventKind kind, NodeId node, Seconds time) {
  log_.record({.time = time, .kind = kind, .node = node});
}

}  // namespace dipaco
