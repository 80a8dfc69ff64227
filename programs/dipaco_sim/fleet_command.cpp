#include "programs/dipaco_sim/fleet_command.hpp"

#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>

#include "backends/sim/fleet/fleet_file.hpp"
#include "backends/sim/fleet/fleet_plan.hpp"
#include "backends/sim/fleet/fleet_scenario.hpp"
#include "backends/sim/fleet/fleet_tables.hpp"
#include "core/base/file.hpp"

namespace dipaco {
namespace {

/// The scenarios that came with this program, of a build or an installed one.
std::filesystem::path shipped_scenarios() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path folder = program.parent_path().parent_path() / "share/dipaco/scenarios";
  if (std::filesystem::is_directory(folder)) return folder;
  throw DataError(folder.string() +
                  ": the tables of prices and round trips are not there; install the program again, " +
                  "or build it again");
}

}  // namespace

ProgramInfo fleet_info() {
  return {.name = "dipaco-sim fleet",
          .purpose = "Makes a scenario of a short description of sites.",
          .usage = "FLEET.cfg [options]",
          .example = "dipaco-sim fleet my.cfg --out my.xml",
          .options = {{.name = "out", .value = "FILE.xml", .help = "where the scenario goes [stdout]"}},
          .words = 1,
          .libraries = core_libraries()};
}

ExitStatus run_fleet(const Arguments& arguments, const StopSignal& /*stop*/) {
  if (arguments.words().empty()) throw ConfigError("no fleet file; name one, such as scenarios/fleets/wan_4dc.cfg");
  const std::filesystem::path scenarios = shipped_scenarios();
  const FleetFile file = read_fleet_file(arguments.words().front());
  const FleetTables tables = read_fleet_tables(scenarios);
  const PlannedFleet fleet = plan_fleet(file, {.tables = tables, .scenarios = scenarios});
  check_fleet(fleet);
  if (!arguments.given("out")) {
    std::cout << fleet_scenario(fleet, std::nullopt);
    return ExitStatus::done;
  }
  const std::filesystem::path out = arguments.text("out");
  if (out.empty()) throw ConfigError("--out has no value; write --out FILE.xml");
  std::error_code error;
  if (std::filesystem::equivalent(out, file.path, error)) {
    throw ConfigError("--out " + out.string() + ": that is the fleet file itself; name another file");
  }
  if (std::filesystem::exists(out, error) && !std::filesystem::is_regular_file(out, error)) {
    throw ConfigError("--out " + out.string() + ": that is no file; leave --out away to write to a pipe");
  }
  write_file(out, fleet_scenario(fleet, std::filesystem::absolute(out).parent_path()));
  std::cerr << "note: " << out.string() << " is written; dipaco-sim " << out.string() << " --learn off runs it\n";
  return ExitStatus::done;
}

}  // namespace dipaco
