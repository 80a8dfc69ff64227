#include "backends/sim/network/pairs.hpp"

namespace dipaco {

Pairs::Pairs(const std::vector<simgrid::s4u::Host*>& hosts, LinkUse& links) : links_(links), nodes_(hosts.size()) {
  for (std::size_t k = 0; k < hosts.size(); ++k) nodes_[NodeId{static_cast<std::int32_t>(k)}].host = hosts[k];
}

Pair& Pairs::add(NodeId from, NodeId to) {
  simgrid::s4u::Host* const source = nodes_[from].host;
  simgrid::s4u::Host* const target = nodes_[to].host;
  const RouteId route = source == target ? RouteId{} : links_.route(*source, *target);
  Pair& pair = pairs_.emplace_back(Pair{.from = from, .to = to, .source = source, .target = target, .route = route});
  auto& pairs = nodes_[from].to;
  const auto number = static_cast<std::size_t>(index(to));
  if (number >= pairs.size()) pairs.resize(number + 1);
  pairs[number] = &pair;
  nodes_[from].known.insert(to);
  nodes_[to].known.insert(from);
  return pair;
}

}  // namespace dipaco
