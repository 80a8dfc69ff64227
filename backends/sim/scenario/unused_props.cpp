#include "backends/sim/scenario/unused_props.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace dipaco {
namespace {

/// What a host's nodes do.
struct Uses {
  bool trains = false;
  bool computes = false;  ///< trains or evaluates
};

std::map<std::string, Uses> uses_by_host(const Placement& placement) {
  std::map<std::string, Uses> hosts;
  for (const PlacedNode& node : placement.nodes) {
    Uses& uses = hosts[node.host];
    uses.trains |= node.role == Role::worker;
    uses.computes |= node.role == Role::worker || node.role == Role::evaluator;
  }
  return hosts;
}

/// Adds those of `said` that nobody who does this reads; `name` is the host's or the zone's.
void add_unused(std::vector<std::string>& unused, const std::string& name, const HostOptions& said, const Uses& uses) {
  if (said.memory && !uses.trains) unused.push_back(name + ".memory");
  if (uses.computes) return;
  if (said.mfu) unused.push_back(name + ".mfu");
  if (said.step_time) unused.push_back(name + ".step_time");
  if (said.jitter) unused.push_back(name + ".jitter");
}

/// Hosts that may go off and come back.
std::set<std::string> hosts_that_go(const ScenarioFile& file, const Placement& placement) {
  std::set<std::string> hosts = placement.reclaimable();
  for (const HostFailures& failures : placement.failures) hosts.insert(failures.host);
  for (const DrawnAbsences& together : placement.absences) hosts.insert(together.hosts.begin(), together.hosts.end());
  for (const HostOutage& outage : placement.outages) hosts.insert(outage.host);
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind == "host" && !element.attribute("state_file").empty()) hosts.insert(element.id());
    const bool connects = element.kind == "trace_connect" && element.attribute("kind") == "HOST_AVAIL";
    if (connects) hosts.insert(element.attribute("element"));
  }
  return hosts;
}

}  // namespace

std::vector<std::string> unused_props(const ScenarioFile& file, const ScenarioOptions& options,
                                      const std::vector<PlatformZone>& zones, const Placement& placement) {
  std::vector<std::string> unused;
  const std::map<std::string, Uses> uses = uses_by_host(placement);
  const std::set<std::string> going = hosts_that_go(file, placement);
  for (const auto& [name, host] : options.hosts) {
    if (!uses.contains(name)) continue;
    if (host.start_up && !going.contains(name)) unused.push_back(name + ".start_up");
    add_unused(unused, name, host, uses.at(name));
  }
  for (const PlatformZone& zone : zones) {
    const auto said = options.zone_hosts.find(zone.name);
    if (said == options.zone_hosts.end()) continue;
    const bool goes = std::ranges::any_of(zone.hosts, [&](const auto& host) { return going.contains(host.name); });
    if (said->second.start_up && !goes) unused.push_back(zone.name + ".start_up");
    Uses all;
    for (const PlatformHost& host : zone.hosts) {
      const auto its = uses.find(host.name);
      if (its == uses.end()) continue;
      all.trains |= its->second.trains;
      all.computes |= its->second.computes;
    }
    add_unused(unused, zone.name, said->second, all);
  }
  return unused;
}

}  // namespace dipaco
