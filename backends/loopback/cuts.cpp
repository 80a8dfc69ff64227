#include "backends/loopback/cuts.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

bool LoopbackCuts::Cut::covers(NodeId from, NodeId to) const {
  if (from == to) return false;
  if (!peer) return from == node || to == node;
  return (from == node && to == *peer) || (from == *peer && to == node);
}

std::uint64_t LoopbackCuts::add(NodeId node, std::optional<NodeId> peer) {
  cuts_.push_back({.node = node, .peer = peer, .number = ++last_});
  return last_;
}

void LoopbackCuts::mend(std::uint64_t number) {
  std::erase_if(cuts_, [=](const Cut& cut) { return cut.number == number; });
}

bool LoopbackCuts::covers(std::uint64_t number, NodeId a, NodeId b) const {
  return std::ranges::any_of(cuts_, [&](const Cut& cut) { return cut.number == number && cut.covers(a, b); });
}

LoopbackCuts::Line LoopbackCuts::line(NodeId from, NodeId to) const {
  Line line = Line::open;
  for (const Cut& cut : cuts_) {
    if (!cut.covers(from, to)) continue;
    if (cut.lost) return Line::lost;
    line = Line::held;
  }
  return line;
}

LoopbackCuts::Cut& LoopbackCuts::find(std::uint64_t number) {
  const auto found = std::ranges::find(cuts_, number, &Cut::number);
  check(found != cuts_.end(), "a cut is lost before it is mended");
  return *found;
}

}  // namespace dipaco
