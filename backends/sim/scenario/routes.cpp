#include "backends/sim/scenario/routes.hpp"

#include <cstddef>
#include <set>

namespace dipaco {
namespace {

bool serves(Role role) { return role == Role::coordinator || role == Role::executor || role == Role::store; }

/// The hosts of one zone that have a role, in the order of the nodes.
struct ZoneHosts {
  std::vector<std::string> servers;
  std::vector<std::string> all;
  bool full = false;  ///< routing: each route is written by itself
};

std::vector<ZoneHosts> zone_hosts(const ScenarioFile& file, const Placement& placement) {
  std::vector<ZoneHosts> zones(placement.sites.size());
  std::set<std::string> full;
  for (const ScenarioElement& element : file.elements()) {
    const auto routing = element.attributes.find("routing");
    if (element.is_zone() && routing != element.attributes.end() && routing->second == "Full")
      full.insert(element.id());
  }
  std::set<std::string> known;
  std::set<std::string> serving;
  for (const PlacedNode& node : placement.nodes) {
    ZoneHosts& zone = zones[static_cast<std::size_t>(index(node.site))];
    if (known.insert(node.host).second) zone.all.push_back(node.host);
    if (serves(node.role) && serving.insert(node.host).second) zone.servers.push_back(node.host);
  }
  for (std::size_t k = 0; k < zones.size(); ++k) zones[k].full = full.contains(placement.sites[k]);
  return zones;
}

class Pairs {
 public:
  /// Both directions.
  void add(const std::string& one, const std::string& other) {
    if (one == other) return;
    pairs_.emplace_back(one, other);
    pairs_.emplace_back(other, one);
  }
  std::vector<HostPair> take() { return std::move(pairs_); }

 private:
  std::vector<HostPair> pairs_;
};

void add_within(const ZoneHosts& zone, Pairs& pairs) {
  if (zone.servers.empty()) return;
  for (std::size_t s = 0; s < zone.servers.size(); ++s) {
    if (s > 0) pairs.add(zone.servers[s], zone.all.front());
    for (const std::string& host : zone.all) {
      if (s == 0 || zone.full) pairs.add(zone.servers[s], host);
    }
  }
}

void add_between(const std::vector<ZoneHosts>& zones, Pairs& pairs) {
  for (std::size_t a = 0; a < zones.size(); ++a) {
    if (zones[a].servers.empty()) continue;
    for (std::size_t b = 0; b < zones.size(); ++b) {
      if (a != b && !zones[b].all.empty()) pairs.add(zones[a].servers.front(), zones[b].all.front());
    }
  }
}

void add_out_of_each(const std::vector<ZoneHosts>& zones, Pairs& pairs) {
  for (std::size_t mine = 0; mine < zones.size(); ++mine) {
    for (std::size_t other = 0; other < zones.size(); ++other) {
      if (other == mine || zones[other].servers.empty()) continue;
      for (const std::string& host : zones[mine].all) pairs.add(zones[other].servers.front(), host);
      break;
    }
  }
}

}  // namespace

std::vector<HostPair> pairs_to_check(const ScenarioFile& file, const Placement& placement) {
  const auto zones = zone_hosts(file, placement);
  Pairs pairs;
  for (const ZoneHosts& zone : zones) add_within(zone, pairs);
  add_between(zones, pairs);
  add_out_of_each(zones, pairs);
  return pairs.take();
}

}  // namespace dipaco
