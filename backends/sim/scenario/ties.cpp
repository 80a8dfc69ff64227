#include "backends/sim/scenario/ties.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/random.hpp"

namespace dipaco {

void draw_ties(Placement& placement, std::uint64_t seed) {
  const auto workers = std::ranges::find(placement.nodes, Role::worker, &PlacedNode::role);
  std::ranges::stable_sort(workers, placement.nodes.end(), {}, [seed](const PlacedNode& node) {
    return draw_bits(seed, Draw::tie, name_number(node.host));
  });
  for (std::size_t k = 0; k < placement.nodes.size(); ++k) placement.nodes[k].id = NodeId{static_cast<std::int32_t>(k)};
}

}  // namespace dipaco
