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

void leave_out_losses(Placement& placement) {
  placement.preemptions.clear();
  placement.failures.clear();
  placement.absences.clear();
  placement.outages.clear();
}

void leave_out_nodes(Placement& placement, const std::vector<std::string>& names) {
  std::set<std::string> sites;
  std::set<std::string> hosts;
  for (const PlacedNode& node : placement.nodes) {
    if (!may_go(node)) continue;
    sites.insert(site_name(placement, node));
    hosts.insert(node.host);
  }
  std::vector<std::string> known(sites.begin(), sites.end());
  known.insert(known.end(), hosts.begin(), hosts.end());
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw ConfigError("--without " + name + " is no site or host with workers or evaluators" +
                      did_you_mean(name, known));
  }
  const auto named = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  std::erase_if(placement.nodes, [&](const PlacedNode& node) {
    return may_go(node) && (named(node.host) || named(site_name(placement, node)));
  });
  for (std::size_t k = 0; k < placement.nodes.size(); ++k) placement.nodes[k].id = NodeId{static_cast<std::int32_t>(k)};
  if (placement.with(Role::worker).empty()) {
    throw ConfigError("--without " + names.back() + " leaves no worker: nobody would train");
  }
}

}  // namespace

void leave_out(Placement& placement, const std::vector<std::string>& names) {
  std::vector<std::string> nodes = names;
  if (std::erase(nodes, kLosses) > 0) leave_out_losses(placement);
  if (!nodes.empty()) leave_out_nodes(placement, nodes);
}

}  // namespace dipaco
