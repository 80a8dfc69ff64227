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
