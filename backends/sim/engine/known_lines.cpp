#include "backends/sim/engine/known_lines.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>
#include <xbt/config.hpp>

#include "backends/sim/engine/hosts_by_name.hpp"
#include "backends/sim/engine/links.hpp"
#include "core/base/error.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

struct Route {
  std::vector<sg::Link*> links;
  double latency = 0;
};

/// nullopt where there is none: whoever sends along it says so.
std::optional<Route> find_route(const sg::Host& from, const sg::Host& to) {
  try {
    Route route{.links = route_between(from, to)};
    std::vector<sg::Link*> same;
    from.route_to(&to, same, &route.latency);
    return route;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
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

/// A host of each site: one that serves (coordinates, executes or stores) if there is any, as their lines carry more.
struct SiteHost {
  const sg::Host* host = nullptr;
  bool serves = false;
};

std::map<SiteId, SiteHost> host_of_each_site(const Placement& placement) {
  const HostsByName all(*sg::Engine::get_instance());
  std::map<SiteId, SiteHost> hosts;
  for (const bool serves : {true, false}) {
    for (const PlacedNode& node : placement.nodes) {
      const bool its = node.role == Role::coordinator || node.role == Role::executor || node.role == Role::store;
      if (its == serves) hosts.try_emplace(node.site, SiteHost{all.at(node.host), serves});
    }
  }
  return hosts;
}

std::map<std::pair<SiteId, SiteId>, Route> routes_between_sites(const Placement& placement) {
  const auto hosts = host_of_each_site(placement);
  std::map<std::pair<SiteId, SiteId>, Route> routes;
  for (const auto& [from, one] : hosts) {
    for (const auto& [to, other] : hosts) {
      if (from == to || (!one.serves && !other.serves)) continue;  // workers alone have nothing to say to each other
      if (const auto route = find_route(*one.host, *other.host)) routes.emplace(std::pair(from, to), *route);
    }
  }
  return routes;
}

}  // namespace

std::shared_ptr<const KnownLines> lines_of_platform(const Placement& placement) {
  auto lines = std::make_shared<LineTable>();
  std::map<SiteId, std::vector<Route>> out;
  std::map<SiteId, std::vector<Route>> in;
  for (const auto& [ways, route] : routes_between_sites(placement)) {
    lines->pairs[ways] = rate_on(route, {});
    out[ways.first].push_back(route);
    in[ways.second].push_back(route);
  }
  for (const auto& [site, routes] : out) lines->out[site] = rate_together(routes);
  for (const auto& [site, routes] : in) lines->in[site] = rate_together(routes);
  return lines;
}

std::map<std::pair<SiteId, SiteId>, NarrowLink> narrow_links(const Placement& placement) {
  std::map<std::pair<SiteId, SiteId>, NarrowLink> narrow;
  for (const auto& [ways, route] : routes_between_sites(placement)) {
    const auto link = std::ranges::min_element(route.links, {}, &sg::Link::get_bandwidth);
    if (link == route.links.end()) continue;
    narrow[ways] = {(*link)->get_name(), {(*link)->get_bandwidth()}, {rate_on(route, {})}};
  }
  return narrow;
}

std::optional<Seconds> lone_message_time(const std::string& from, const std::string& to, Bytes size) {
  const HostsByName all(*sg::Engine::get_instance());
  const auto route = find_route(*all.at(from), *all.at(to));
  if (!route) return std::nullopt;
  const double latency = simgrid::config::get_value<double>("network/latency-factor") * route->latency;
  return Seconds(latency + static_cast<double>(size.value) / rate_on(*route, {}));
}

}  // namespace dipaco
