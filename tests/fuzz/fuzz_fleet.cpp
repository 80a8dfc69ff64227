// Fleet files, completed by the shipped tables, and the scenarios that are made of them.

#include <filesystem>
#include <optional>

#include "backends/sim/fleet/fleet_scenario.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {

void try_input(Input input) {
  static const std::filesystem::path scenarios = DIPACO_SOURCE_DIR "/scenarios";
  static const FleetTables tables = read_fleet_tables(scenarios);
  may_refuse([&] {
    const PlannedFleet fleet =
        plan_fleet(parse_fleet_text(as_text(input), "/nowhere/input.cfg"), {.tables = tables, .scenarios = scenarios});
    check_fleet(fleet);
    check(!fleet_scenario(fleet, std::nullopt).empty(), "a fleet has a scenario");
  });
}

std::vector<Seed> seeds() { return source_files("scenarios/fleets", ".cfg"); }

}  // namespace dipaco::fuzz
