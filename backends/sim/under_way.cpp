#include "backends/sim/under_way.hpp"

#include <algorithm>
#include <simgrid/s4u.hpp>
#include <vector>

#include "backends/sim/engine/links.hpp"
#include "core/base/text.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

constexpr std::size_t kTold = 3;

struct Moving {
  UnderWay what;
  const NodeFacts* from = nullptr;
  const NodeFacts* to = nullptr;
};

/// The link on the way that is off, or else the slowest; null: there is none between two nodes of one host.
const sg::Link* narrowest(const Moving& moving) {
  if (moving.from->host == moving.to->host) return nullptr;
  const auto route = route_between(*sg::Host::by_name(moving.from->host), *sg::Host::by_name(moving.to->host));
  const auto worth = [](const sg::Link* link) { return link->is_on() ? link->get_bandwidth() : 0; };
  return route.empty() ? nullptr : *std::ranges::min_element(route, {}, worth);
}

std::string told(const Moving& moving) {
  std::string text = name(moving.what.kind) + std::string(" from ") + moving.from->host + " to " + moving.to->host +
                     ", " + human_bytes(moving.what.arrived) + " of " + human_bytes(moving.what.size);
  if (const sg::Link* const link = narrowest(moving)) {
    const auto rate = Bytes{static_cast<std::uint64_t>(link->get_bandwidth())};
    text += ", over link " + link->get_name() + (link->is_on() ? " of " + human_bytes(rate) + "/s" : ", which is off");
  }
  return text;
}

}  // namespace

std::string what_is_under_way(const SimNetwork& network, std::span<const NodeFacts> nodes) {
  std::vector<Moving> all;
  for (const NodeFacts& node : nodes) {
    for (const UnderWay& what : network.under_way(node.id)) {
      if (what.incoming) all.push_back({what, &nodes[static_cast<std::size_t>(index(what.peer))], &node});
    }
  }
  std::ranges::stable_sort(all, [](const Moving& a, const Moving& b) { return a.what.size > b.what.size; });
  std::string text;
  for (std::size_t k = 0; k < std::min(kTold, all.size()); ++k) {
    text += (k == 0 ? "; under way are " : "; ") + told(all[k]);
  }
  if (all.size() > kTold) text += "; and " + std::to_string(all.size() - kTold) + " more";
  return text;
}

}  // namespace dipaco
