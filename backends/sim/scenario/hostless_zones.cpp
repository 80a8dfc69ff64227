#include "backends/sim/scenario/hostless_zones.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// @param what  of the zone's props
[[noreturn]] void fail(const ScenarioFile& file, int line, const std::string& zone, const std::string& what) {
  throw ConfigError(file.at(line) + ": zone \"" + zone + "\" has no host of its own for its " + what);
}

void check(const ScenarioFile& file, const ScenarioOptions& options, const ZoneOptions& zone) {
  for (const auto* const prop :
       {&zone.workers, &zone.executors, &zone.store, &zone.evaluators, &zone.preemption, &zone.preemption_time_scale,
        &zone.preemption_machine_scale, &zone.preemption_offset, &zone.preemption_end, &zone.reclaims, &zone.given_back,
        &zone.capacity, &zone.outages}) {
    if (*prop) {
      fail(file, (*prop)->line, zone.zone,
           "prop \"" + (*prop)->name + "\"; give the prop to the zone that holds the hosts");
    }
  }
  if (zone.notice > Seconds(0)) {
    fail(file, zone.line, zone.zone, "prop \"notice\"; give the prop to the zone that holds the hosts");
  }
  if (const auto hosts = options.zone_hosts.find(zone.zone); hosts != options.zone_hosts.end()) {
    fail(file, hosts->second.line, zone.zone,
         "props of hosts, as disk or mtbf; give them to the zones that hold the hosts");
  }
}

}  // namespace

void check_hostless_zones(const ScenarioFile& file, const ScenarioOptions& options,
                          const std::vector<PlatformZone>& zones) {
  for (const ZoneOptions& zone : options.zones) {
    const auto holds_hosts = [&](const PlatformZone& other) { return other.name == zone.zone; };
    if (std::ranges::none_of(zones, holds_hosts)) check(file, options, zone);
  }
}

}  // namespace dipaco
