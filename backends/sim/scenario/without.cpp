#include "backends/sim/scenario/without.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

bool may_go(const PlacedNode& node) { return node.role == Role::worker || node.role == Role::evaluator; }

std::string site_name(const Placement& placement, const PlacedNode& node) {
  return placement.sites[static_cast<std::size_t>(index(node.site))];
}

}  // namespace

void leave_out(Placement& placement, const std::string& name) {
  std::set<std::string> known;
  for (const PlacedNode& node : placement.nodes) {
    if (may_go(node)) known.insert({site_name(placement, node), node.host});
  }
  if (!known.contains(name)) {
    throw ConfigError("--without " + name + " is no site or host with workers or evaluators" +
                      did_you_mean(name, std::vector<std::string>(known.begin(), known.end())));
  }
  std::erase_if(placement.nodes, [&](const PlacedNode& node) {
    return may_go(node) && (node.host == name || site_name(placement, node) == name);
  });
  for (std::size_t k = 0; k < placement.nodes.size(); ++k) placement.nodes[k].id = NodeId{static_cast<std::int32_t>(k)};
  if (placement.with(Role::worker).empty()) {
    throw ConfigError("--without " + name + " leaves no worker: nobody would train");
  }
}

}  // namespace dipaco
