#include "programs/dipaco_sim/loaded_scenario.hpp"

#include <exception>

#include "backends/sim/scenario/without.hpp"
#include "core/base/error.hpp"

namespace dipaco {

LoadedScenario load_scenario(const std::filesystem::path& scenario, const std::vector<std::string>& cfg,
                             const std::vector<std::string>& without) {
  LoadedScenario loaded{.file = ScenarioFile(scenario),
                        .options = {},
                        .engine = nullptr,
                        .placement = {},
                        .cfg = cfg,
                        .without = without};
  std::exception_ptr failure;
  try {
    loaded.options = read_options(loaded.file);
  } catch (const ConfigError&) {
    failure = std::current_exception();  // what SimGrid finds comes first: without it the file may be no XML at all
  }
  loaded.engine = std::make_unique<SimEngine>(loaded.file, loaded.options, cfg);
  if (failure) std::rethrow_exception(failure);
  loaded.placement = place(loaded.file, loaded.options, loaded.engine->zones(loaded.file));
  leave_out(loaded.placement, loaded.without);
  loaded.engine->check_routes(loaded.file, loaded.placement);
  return loaded;
}

void take_scenario(ProgramInfo& info) {
  info.options.push_back({.name = "cfg",
                          .value = "KEY:VALUE",
                          .help = "a setting of SimGrid's, such as network/model:LV08",
                          .repeatable = true});
  info.options.push_back({.name = "without",
                          .value = "NAME",
                          .help = "as if this site's or host's workers were not there",
                          .repeatable = true});
  info.libraries.push_back({"SimGrid", simgrid_version()});
}

std::filesystem::path named_scenario(const Arguments& arguments) {
  if (arguments.words().empty()) throw ConfigError("no scenario; name one, such as scenarios/wan_4dc.xml");
  return arguments.words().front();
}

RunConfig run_file_of(const LoadedScenario& loaded, const SharedOptions& shared) {
  if (shared.run.empty() && loaded.placement.run.empty()) {
    throw ConfigError(loaded.file.path().string() + ": it names no run file; add --run FILE.cfg");
  }
  return resolve_config(shared, loaded.placement.run);
}

SimulationReport run_plan(const RunPlan& plan, const LoadedScenario& loaded, const SimulationOptions& options,
                          const Onlookers& onlookers, EventLog& log, RunResult& result) {
  return simulate(
      loaded.placement,
      [&](const PlacedNode& node, Seams seams) {
        if (node.role == Role::coordinator) {
          CoordinatorOptions members = expected_members(loaded.placement, plan.config);
          members.progress = onlookers.progress;
          members.note = onlookers.note;
          result = run_coordinator(plan, seams, members);
        } else {
          run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      options, log);
}

}  // namespace dipaco
