// Runs a scenario in the simulator without learning, and prints how long it takes there: docs/library.md.
//
//   own_policy SCENARIO.xml [half]     half: under the policy of half.hpp, with plain SGD outside

#include <cstdint>
#include <dipaco/backends/sim/engine/engine.hpp>
#include <dipaco/backends/sim/simulation.hpp>
#include <dipaco/core/config/run_file.hpp>
#include <dipaco/core/faults/parse.hpp>
#include <dipaco/core/outer/optimizers.hpp>
#include <dipaco/core/plan/plan.hpp>
#include <dipaco/core/roles/roles.hpp>
#include <exception>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string_view>

#include "half.hpp"

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

/// What the run file cannot name: a policy and an outer optimizer of this program.
dipaco::OwnParts own_parts() {
  return {.policy = half_policy(), .optimizer = std::make_shared<dipaco::OuterSgd>(0.7), .name = "half, sgd 0.7"};
}

dipaco::RunResult simulated(const char* scenario, const dipaco::OwnParts& own) {
  Stage stage(scenario);
  const dipaco::RunConfig config = dipaco::read_run_file(stage.placement.run);
  const dipaco::RunPlan plan = dipaco::make_plan(config, nullptr, nullptr, 1, own);  // no data, no trainer: costs
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
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const bool half = argc == 3 && std::string_view(argv[2]) == "half";
  if (argc != 2 && !half) {
    std::cerr << "usage: own_policy SCENARIO.xml [half]\n";
    return 2;
  }
  try {
    const dipaco::RunResult result = simulated(argv[1], half ? own_parts() : dipaco::OwnParts{});
    std::cout << std::fixed << std::setprecision(2) << result.duration.count() << " simulated seconds\n"
              << result.contributions.settled - result.contributions.dropped << " contributions applied, "
              << result.contributions.dropped << " dropped\n";
  } catch (const std::exception& error) {
    std::cerr << "own_policy: " << error.what() << "\n";
    return 1;
  }
}
