#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/sim/engine/engine.hpp"
#include "backends/sim/engine/varying_links.hpp"
#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/simulation.hpp"
#include "core/plan/plan.hpp"
#include "core/report/accounts/cost_facts.hpp"
#include "core/roles/roles.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {

/// A scenario as a command line names it.
struct ScenarioWords {
  std::filesystem::path scenario;
  std::vector<std::string> cfg;         ///< --cfg
  std::vector<std::string> without;     ///< --without
  std::vector<ScenarioChange> changes;  ///< those --set that change the scenario
};

/// A scenario with everybody in place, and what they cost.
struct LoadedScenario {
  ScenarioWords words;
  ScenarioFile file;
  ScenarioOptions options;
  std::unique_ptr<SimEngine> engine;
  Placement placement;
  CostFacts costs;           ///< of all machines, also those that are left out
  LinkRates link_rates;      ///< of links whose bandwidth varies
  LinkOutages link_outages;  ///< of links that are off for a time
};

/// @throws ConfigError, DataError: what is wrong with the scenario, or with what is to be changed of it
LoadedScenario load_scenario(const ScenarioWords& words);

/// Adds the options --cfg and --without, and SimGrid's version, to a program that loads a scenario.
void take_scenario(ProgramInfo& info);
/// The scenario that a command line names; takes what changes it out of `set`. @throws ConfigError where it names none
ScenarioWords named_scenario(const Arguments& arguments, std::vector<std::string>& set);
/// The scenario's run file, or --run's. @throws ConfigError where there is none, and what resolve_config throws
RunConfig run_file_of(const LoadedScenario& loaded, const SharedOptions& shared);

/// Who tells a person how far the run is; functions may be empty.
struct Onlookers {
  std::function<void(const RunProgress&)> progress{};
  std::function<void(const std::string&)> note{};
};

/// What is known of costs at the end of a simulation: of machines that take part, with when they were there.
CostFacts costs_of(const LoadedScenario& loaded, const SimulationReport& report);

/// Simulates the plan; `result` is what the coordinator says at its end.
SimulationReport run_plan(const RunPlan& plan, const LoadedScenario& loaded, const SimulationOptions& options,
                          const Onlookers& onlookers, EventLog& log, RunResult& result);

}  // namespace dipaco
