#include "backends/sim/network/cuts.hpp"

#include <algorithm>

namespace dipaco {

bool Cuts::Cut::covers(NodeId one, NodeId other) const {
  if (one == other) return false;
  if (!peer) return one == node || other == node;
  return (one == node && other == *peer) || (one == *peer && other == node);
}

Cuts::Id Cuts::begin(NodeId node, std::optional<NodeId> peer) {
  const Id id{++begun_};
  cuts_.push_back({.id = id, .node = node, .peer = peer});
  return id;
}

void Cuts::end(Id cut) {
  std::erase_if(cuts_, [=](const Cut& c) { return c.id == cut; });
}

bool Cuts::between(NodeId one, NodeId other) const {
  return std::any_of(cuts_.begin(), cuts_.end(), [=](const Cut& c) { return c.covers(one, other); });
}

bool Cuts::between(NodeId one, NodeId other, Id cut) const {
  return std::any_of(cuts_.begin(), cuts_.end(), [=](const Cut& c) { return c.id == cut && c.covers(one, other); });
}

}  // namespace dipaco
