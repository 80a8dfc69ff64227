#include <string>
#include <utility>
#include <vector>

#include "backends/sim/costs/costs.hpp"
#include "backends/sim/fleet/fleet_scenario.hpp"
#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {
namespace {

ScenarioElement element(const std::string& kind, const std::string& id, int line, int depth,
                        const std::vector<PlannedProp>& props = {}) {
  ScenarioElement one{.kind = kind, .attributes = {{"id", id}}, .line = line, .depth = depth, .text = {}, .props = {}};
  for (const PlannedProp& prop : props) one.props.push_back({prop.name, prop.is.value, prop.is.line});
  return one;
}

}  // namespace

void check_fleet(const PlannedFleet& fleet) {
  std::vector<ScenarioElement> elements{element("platform", "", fleet.line, 0),
                                        element("zone", kFleetZone, fleet.line, 1, fleet.root)};
  std::vector<PlatformZone> zones;
  for (const PlannedSite& site : fleet.sites) {
    elements.push_back(element("zone", site.name, site.line, 2, site.props));
    PlatformZone zone{.name = site.name, .hosts = {}};
    for (int number = 0; number < site.machines; ++number) {
      elements.push_back(element("host", site.machine(number), site.line, 3));
      zone.hosts.push_back({.name = site.machine(number)});
    }
    elements.push_back(element("host", site.files(), site.line, 3, site.files_props));
    zone.hosts.push_back({.name = site.files()});
    zones.push_back(std::move(zone));
  }
  const ScenarioFile file(fleet.made_of, std::move(elements));
  const ScenarioOptions options = read_options(file);
  read_costs(file, place(file, options, zones), zones);
}

}  // namespace dipaco
