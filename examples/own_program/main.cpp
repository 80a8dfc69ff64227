// Runs a scenario in the simulator without learning, and prints how long it takes there: docs/library.md.
//
//   own_program SCENARIO.xml

#include <cstdint>
#include <dipaco/backends/sim/engine/engine.hpp>
#include <dipaco/backends/sim/simulation.hpp>
#include <dipaco/core/config/run_file.hpp>
#include <dipaco/core/faults/parse.hpp>
#include <dipaco/core/plan/plan.hpp>
#include <dipaco/core/roles/roles.hpp>
#include <exception>
#include <iomanip>
#include <iostream>

namespace {

/// Reads the scenario, and has SimGrid read it too. One engine a process.
struct Stage {
  explicit Stage(const char* scenario)
      : file(scenario),
        options(dipaco::read_options(file)),
        engine(file, options, {}),
        placement(dipaco::place(file, options, engine.zones(file))) {
    engine.check_routes(file, placement);
  }

  dipaco::ScenarioFile file;
  dipaco::ScenarioOptions options;
  dipaco::SimEngine engine;
  dipaco::Placement placement;
};

/// How many nodes the coordinator waits for before the first task.
dipaco::CoordinatorOptions members(const dipaco::Placement& placement) {
  const auto count = [&](dipaco::Role role) { return static_cast<std::int32_t>(placement.with(role).size()); };
  return {.executors = count(dipaco::Role::executor),
          .stores = count(dipaco::Role::store),
          .evaluators = count(dipaco::Role::evaluator),
          .progress = nullptr};
}

dipaco::Seconds simulated_time(const char* scenario) {
  Stage stage(scenario);
  const dipaco::RunConfig config = dipaco::read_run_file(stage.placement.run);
  const dipaco::RunPlan plan = dipaco::make_plan(config, nullptr, nullptr);  // no data and no trainer: costs alone
  dipaco::set_speeds(stage.placement, plan.inner_step_cost);

  dipaco::RunResult result;
  const auto node = [&](const dipaco::PlacedNode& self, dipaco::Seams seams) {
    if (self.role == dipaco::Role::coordinator) {
      result = dipaco::run_coordinator(plan, seams, members(stage.placement));
    } else {
      dipaco::run_role(plan, seams, {.role = self.role, .site = self.site, .speed = self.speed, .machine = self.host});
    }
  };
  dipaco::MemoryEventLog log;
  dipaco::simulate(stage.placement, node,
                   {.seed = config.run.seed,
                    .limit = config.liveness.limit,
                    .period = config.liveness.period,
                    .deadline = config.liveness.deadline,
                    .plan = &plan,
                    .faults = dipaco::parse_faults(config.faults)},
                   log);
  return result.duration;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: own_program SCENARIO.xml\n";
    return 2;
  }
  try {
    std::cout << std::fixed << std::setprecision(2) << simulated_time(argv[1]).count() << " simulated seconds\n";
  } catch (const std::exception& error) {
    std::cerr << "own_program: " << error.what() << "\n";
    return 1;
  }
}
