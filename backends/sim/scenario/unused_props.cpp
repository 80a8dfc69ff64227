#include "backends/sim/scenario/unused_props.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace dipaco {
namespace {

/// Hosts with a role, of which those that train or evaluate are true.
std::map<std::string, bool> hosts_with_roles(const Placement& placement) {
  std::map<std::string, bool> hosts;
  for (const PlacedNode& node : placement.nodes) {
    hosts[node.host] |= node.role == Role::worker || node.role == Role::evaluator;
  }
  return hosts;
}

/// Hosts that may go off and come back.
std::set<std::string> hosts_that_go(const ScenarioFile& file, const Placement& placement) {
  std::set<std::string> hosts = placement.reclaimable();
  for (const HostFailures& failures : placement.failures) hosts.insert(failures.host);
  for (const DrawnAbsences& together : placement.absences) hosts.insert(together.hosts.begin(), together.hosts.end());
  for (const HostOutage& outage : placement.outages) hosts.insert(outage.host);
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind == "host" && !element.attribute("state_file").empty()) hosts.insert(element.id());
  }
  return hosts;
}

}  // namespace

std::vector<std::string> unused_props(const ScenarioFile& file, const ScenarioOptions& options,
                                      const std::vector<PlatformZone>& zones, const Placement& placement) {
  std::vector<std::string> unused;
  const std::map<std::string, bool> computing = hosts_with_roles(placement);
  const std::set<std::string> going = hosts_that_go(file, placement);
  for (const auto& [name, host] : options.hosts) {
    if (!computing.contains(name)) continue;
    if (host.start_up && !going.contains(name)) unused.push_back(name + ".start_up");
    if (computing.at(name)) continue;
    if (host.mfu) unused.push_back(name + ".mfu");
    if (host.step_time) unused.push_back(name + ".step_time");
    if (host.jitter) unused.push_back(name + ".jitter");
    if (host.memory) unused.push_back(name + ".memory");
  }
  for (const PlatformZone& zone : zones) {
    const auto said = options.zone_hosts.find(zone.name);
    if (said == options.zone_hosts.end() || !said->second.start_up) continue;
    const bool goes = std::ranges::any_of(zone.hosts, [&](const auto& host) { return going.contains(host.name); });
    if (!goes) unused.push_back(zone.name + ".start_up");
  }
  return unused;
}

}  // namespace dipaco
