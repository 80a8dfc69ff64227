#include "backends/sim/engine/links.hpp"

#include <algorithm>
#include <utility>

#include "backends/sim/scenario/changes.hpp"
#include "core/base/error.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

std::vector<sg::Link*> route_between(const sg::Host& from, const sg::Host& to) {
  const std::string between = "no route from host \"" + from.get_name() + "\" (zone \"" +
                              from.get_englobing_zone()->get_name() + "\") to host \"" + to.get_name() + "\" (zone \"" +
                              to.get_englobing_zone()->get_name() + "\")";
  std::vector<sg::Link*> links;
  double latency = 0;
  try {
    from.route_to(&to, links, &latency);
  } catch (const std::exception& error) {
    throw ConfigError(between + ": " + error.what() + " Add a route or zoneRoute between them");
  }
  if (links.empty() && latency == 0 && &from != &to)
    throw ConfigError(between + ": add a route or zoneRoute between them");
  return links;
}

RouteId LinkUse::route(const sg::Host& from, const sg::Host& to) {
  const auto [known, added] = known_.try_emplace({&from, &to}, static_cast<RouteId>(routes_.size()));
  if (!added) return known->second;
  Route route;
  for (const sg::Link* const link : route_between(from, to)) {
    const auto [number, fresh] = numbers_.try_emplace(link, static_cast<std::uint32_t>(links_.size()));
    if (fresh) {
      links_.push_back({.link = link});
      changed(*link);
    }
    route.all.push_back(number->second);
  }
  route.links = route.all;
  routes_.push_back(std::move(route));
  return known->second;
}

void LinkUse::look(RouteId id, Seconds now) {
  constexpr double kFull = 0.96;  // of the bandwidth: LV08 leaves 3 % to headers
  Route& route = routes_[static_cast<std::size_t>(id)];
  std::erase_if(route.links, [&](std::uint32_t number) {
    Use& use = links_[number];
    if (use.peak < kFull && std::exchange(use.looked, now) != now) {
      use.peak = std::max(use.peak, use.link->get_usage() / use.link->get_bandwidth());
    }
    return use.peak >= kFull;
  });
}

bool is_of_link(const std::string& name, const std::string& link) {
  return name == link || name == link + "_UP" || name == link + "_DOWN";
}

bool is_loopback(const sg::Link& link) { return link.get_name() == "__loopback__"; }

bool names_link(const std::string& said, const std::string& link) {
  return fits(said, link) || fits(said + "_UP", link) || fits(said + "_DOWN", link);
}

bool LinkUse::all_on(RouteId id) const {
  const Route& route = routes_[static_cast<std::size_t>(id)];
  return std::all_of(route.all.begin(), route.all.end(), [&](std::uint32_t link) { return links_[link].on; });
}

void LinkUse::changed(const sg::Link& link) {
  const auto number = numbers_.find(&link);
  if (number == numbers_.end()) return;
  bool& on = links_[number->second].on;
  if (on == link.is_on()) return;
  on = !on;
  on ? --off_ : ++off_;
}

bool LinkUse::crosses(RouteId id, const sg::Link& link) const {
  const auto number = numbers_.find(&link);
  if (number == numbers_.end()) return false;
  const auto& all = routes_[static_cast<std::size_t>(id)].all;
  return std::find(all.begin(), all.end(), number->second) != all.end();
}

std::vector<LinkFacts> LinkUse::facts() const {
  std::vector<LinkFacts> facts;
  for (std::uint32_t number = 0; number < links_.size(); ++number) {
    const Use& use = links_[number];
    facts.push_back({.name = use.link->get_name(),
                     .bandwidth = use.link->get_bandwidth(),
                     .latency_s = use.link->get_latency(),
                     .bytes = {},
                     .turn_bytes = {},
                     .peak_use = std::min(use.peak, 1.0),
                     .over_time = curves_.of(number)});
  }
  for (const Route& route : routes_) {
    for (const std::uint32_t number : route.all) {
      facts[number].bytes += route.bytes;
      facts[number].turn_bytes += route.turn_bytes;
    }
  }
  std::sort(facts.begin(), facts.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return facts;
}

}  // namespace dipaco
