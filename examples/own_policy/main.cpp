// Runs a scenario in the simulator, with parts of this program's own that its run file names: docs/library.md.
//
//   own_policy SCENARIO.xml [RUN.cfg] [learn] [SECTION.KEY=VALUE...]
//
// RUN.cfg is the scenario's own, unless named. Without `learn` only times and bytes are computed.

#include <cstdint>
#include <dipaco/backends/sim/engine/engine.hpp>
#include <dipaco/backends/sim/simulation.hpp>
#include <dipaco/core/config/run_file.hpp>
#include <dipaco/core/faults/parse.hpp>
#include <dipaco/core/plan/plan.hpp>
#include <dipaco/core/prepare/prepared.hpp>
#include <dipaco/core/roles/roles.hpp>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "half.hpp"
#include "lion.hpp"
#include "quantiles.hpp"

namespace {

struct Arguments {
  std::string scenario;
  std::string run;  ///< empty: the scenario's
  bool learn = false;
  std::vector<std::string> set;
};

/// Reads the scenario, and has SimGrid read it too. One engine a process.
struct Stage {
  explicit Stage(const std::string& scenario)
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

/// What a run file may name: DiPaCo's own parts, and those of this program.
dipaco::NamedParts parts() {
  dipaco::NamedParts parts;
  parts.policies.push_back({.name = "half", .make = half_policy});
  parts.optimizers.push_back({.name = "lion", .make = make_lion});
  parts.routers.push_back({.name = "quantiles", .fit = fit_quantiles, .read = read_quantiles});
  parts.keys.push_back({.section = "half",
                        .name = "share",
                        .slot = share_slot,
                        .allowed = {.low = 0, .high = 1, .above_low = true},
                        .changes = dipaco::Changes::parameters,
                        .help = "share of a module's paths that it waits for"});
  return parts;
}

/// With `learn` the text is prepared in ./prepared, and the trainer is loaded.
dipaco::RunPlan make_plan(const dipaco::RunConfig& config, bool learn) {
  if (!learn) return dipaco::make_plan(config, nullptr, nullptr);
  const auto topology = dipaco::make_topology(config.topology, config.model, config.folder);
  const auto layout = dipaco::make_layout(config.model, topology);
  const auto trainer = dipaco::load_trainer({.model = config.model, .inner = config.inner, .layout = layout});
  auto prepared = dipaco::prepare(config, topology, layout, *trainer,
                                  {.folder = config.folder, .cache = "prepared", .progress = nullptr});
  return dipaco::make_plan(config, std::make_shared<const dipaco::Prepared>(std::move(prepared)), trainer);
}

dipaco::RunResult simulated(const Arguments& arguments) {
  Stage stage(arguments.scenario);
  const std::filesystem::path named = arguments.run;
  const dipaco::RunConfig config =
      dipaco::read_run_file(named.empty() ? stage.placement.run : named, arguments.set, parts());
  const dipaco::RunPlan plan = make_plan(config, arguments.learn);
  dipaco::set_speeds(stage.placement, plan.inner_step_cost);

  dipaco::RunResult result;
  const auto node = [&](const dipaco::PlacedNode& self, dipaco::Seams seams) {
    if (self.role == dipaco::Role::coordinator) {
      result = dipaco::run_coordinator(plan, seams, dipaco::expected_members(stage.placement, config));
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
                    .faults = dipaco::parse_faults(config.faults),
                    .threads = arguments.learn ? 1 : 0},
                   log);
  return result;
}

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "learn") {
      arguments.learn = true;
    } else if (word.find('=') != std::string::npos) {
      arguments.set.push_back(word);
    } else {
      (arguments.scenario.empty() ? arguments.scenario : arguments.run) = word;
    }
  }
  return arguments;
}

void print(const dipaco::RunResult& result) {
  std::cout << std::fixed << std::setprecision(2) << result.duration.count() << " simulated seconds\n"
            << result.contributions.settled - result.contributions.dropped << " contributions applied, "
            << result.contributions.dropped << " dropped\n";
  dipaco::Score all;
  for (const dipaco::Score& score : result.scores) all += score;
  if (!result.scores.empty()) std::cout << "perplexity " << all.perplexity() << " on validation documents\n";
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  if (arguments.scenario.empty()) {
    std::cerr << "usage: own_policy SCENARIO.xml [RUN.cfg] [learn] [SECTION.KEY=VALUE...]\n";
    return 2;
  }
  try {
    print(simulated(arguments));
  } catch (const std::exception& error) {
    std::cerr << "own_policy: " << error.what() << "\n";
    return 1;
  }
}
