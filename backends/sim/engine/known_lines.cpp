#include "backends/sim/engine/known_lines.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>
#include <xbt/config.hpp>

#include "backends/sim/engine/hosts_by_name.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

struct Route {
  std::vector<sg::Link*> links;
  double latency = 0;
};

Route find_route(const sg::Host& from, const sg::Host& to) {
  Route route;
  from.route_to(&to, route.links, &route.latency);
  return route;
}

/// How many of the routes go over each link.
using Shared = std::map<const sg::Link*, int>;

/// Bytes a second of a message on the route, beside others.
double rate_on(const Route& route, const Shared& shared) {
  const double window = simgrid::config::get_value<double>("network/TCP-gamma");
  const double latency = simgrid::config::get_value<double>("network/latency-factor") * route.latency;
  double rate = window > 0 && latency > 0 ? window / (2 * latency) : std::numeric_limits<double>::infinity();
  for (const sg::Link* const link : route.links) {
    if (link->get_sharing_policy() == sg::Link::SharingPolicy::FATPIPE) {
      rate = std::min(rate, link->get_bandwidth());
      continue;
    }
    const auto others = shared.find(link);
    rate = std::min(rate, link->get_bandwidth() / (others == shared.end() ? 1 : others->second));
  }
  return simgrid::config::get_value<double>("network/bandwidth-factor") * rate;
}

double rate_together(const std::vector<Route>& routes) {
  Shared shared;
  for (const Route& route : routes) {
    for (const sg::Link* const link : route.links) ++shared[link];
  }
  double sum = 0;
  for (const Route& route : routes) sum += rate_on(route, shared);
  return sum;
}

/// A host of each site: one that does not train, if there is any, since the lines of these carry more.
std::map<SiteId, const sg::Host*> host_of_each_site(const Placement& placement) {
  const HostsByName all(*sg::Engine::get_instance());
  std::map<SiteId, const sg::Host*> hosts;
  for (const bool trains : {false, true}) {
    for (const PlacedNode& node : placement.nodes) {
      if ((node.role == Role::worker) == trains) hosts.try_emplace(node.site, all.at(node.host));
    }
  }
  return hosts;
}

}  // namespace

std::shared_ptr<const KnownLines> lines_of_platform(const Placement& placement) {
  const auto hosts = host_of_each_site(placement);
  auto lines = std::make_shared<LineTable>();
  for (const auto& [site, host] : hosts) {
    std::vector<Route> out;
    std::vector<Route> in;
    for (const auto& [other, its_host] : hosts) {
      if (other == site) continue;
      out.push_back(find_route(*host, *its_host));
      in.push_back(find_route(*its_host, *host));
      lines->pairs[{site, other}] = rate_on(out.back(), {});
    }
    if (out.empty()) continue;
    lines->out[site] = rate_together(out);
    lines->in[site] = rate_together(in);
  }
  return lines;
}

}  // namespace dipaco
