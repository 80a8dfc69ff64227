#include "backends/sim/network/pairs.hpp"

namespace dipaco {
namespace {

std::uint64_t pair_key(NodeId from, NodeId to) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(index(from))) << 32 |
         static_cast<std::uint32_t>(index(to));
}

}  // namespace

Pairs::Pairs(const std::vector<simgrid::s4u::Host*>& hosts, LinkUse& links) : links_(links), nodes_(hosts.size()) {
  for (std::size_t k = 0; k < hosts.size(); ++k) nodes_[NodeId{static_cast<std::int32_t>(k)}].host = hosts[k];
}

Pair& Pairs::of(NodeId from, NodeId to) {
  const auto [found, added] = pairs_.try_emplace(pair_key(from, to));
  Pair& pair = found->second;
  if (!added) return pair;
  pair.from = from;
  pair.to = to;
  pair.source = nodes_[from].host;
  pair.target = nodes_[to].host;
  if (!pair.local()) pair.route = links_.route(*pair.source, *pair.target);
  nodes_[from].known.insert(to);
  nodes_[to].known.insert(from);
  return pair;
}

Pair* Pairs::find(NodeId from, NodeId to) {
  const auto pair = pairs_.find(pair_key(from, to));
  return pair == pairs_.end() ? nullptr : &pair->second;
}

}  // namespace dipaco
