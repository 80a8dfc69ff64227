#include "tests/sim/fleet/made_up_tables.hpp"

#include "backends/sim/fleet/fleet_scenario.hpp"
#include "core/base/error.hpp"

namespace dipaco::testing {

FleetTables made_up_tables() {
  FleetTables tables;
  tables.devices = {{"FAST", {1e14}, {400}, 80, "bf16", "a maker"}, {"SLOW", {5e13}, {100}, 24, "bf16", "a maker"}};
  tables.mfu = {{"FAST", 0.3, "a page"}, {"FAST", 0.5, "a page"}, {"FAST", 0.4, "a page"}};
  tables.prices = {{"FAST", "aws:one", {3}, UsdPerHour{1.5}, "2026-01-01, a list"},
                   {"FAST", "aws:two", {4}, std::nullopt, "2026-01-01, a list"},
                   {"SLOW", "gcp:three", {0.33333}, UsdPerHour{0.1}, "2026-01-02, a list"}};
  tables.egress[{"aws:one", "aws:two"}] = {0.02, "2025-01-01"};
  tables.egress[{"aws:two", "aws:one"}] = {0.03, "2025-01-01"};
  tables.egress[{"aws:one", "gcp:three"}] = {0.09, "2025-01-01"};
  tables.egress[{"gcp:three", "aws:one"}] = {0.12, "2025-01-01"};
  for (const auto& [one, other] : {RegionPair{"aws:one", "aws:two"}, RegionPair{"aws:two", "aws:one"}}) {
    tables.round_trips[{one, other}] = {31, "2025-02"};
  }
  for (const auto& [one, other] : {RegionPair{"aws:one", "gcp:three"}, RegionPair{"gcp:three", "aws:one"}}) {
    tables.round_trips[{one, other}] = {90.6, "2025-02"};
  }
  return tables;
}

PlannedFleet planned(const std::string& text) {
  const FleetTables tables = made_up_tables();
  PlannedFleet fleet = plan_fleet(parse_fleet_text(text, "/fleets/f.cfg"),
                                  {.tables = tables, .scenarios = DIPACO_SOURCE_DIR "/scenarios"});
  check_fleet(fleet);
  return fleet;
}

std::string refused_fleet(const std::string& text) {
  try {
    planned(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string two_site_fleet(const std::string& more) {
  return "[fleet]\nrun=runs/tiny.cfg\n[site x]\nregion=aws:one\nmachines=2 x 8 FAST\n"  // lines 1 to 5
         "[links]\ndefault=1Gbps\n[site y]\nregion=gcp:three-a\nmachines=3 x 2 SLOW\n"  // 6 to 10
         "mfu=0.25\n" +
         more;
}

}  // namespace dipaco::testing
