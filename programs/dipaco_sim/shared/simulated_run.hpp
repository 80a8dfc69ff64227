#pragma once

#include <cstdint>

#include "backends/sim/simulation.hpp"
#include "core/config/run_config.hpp"
#include "core/plan/plan.hpp"
#include "core/report/report.hpp"
#include "programs/dipaco_sim/shared/loaded_scenario.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

// What every command does that simulates a run.

/// Whether the run file fits the scenario: workers and their memory, faults, and limits that a message and its answer
/// can keep. @returns what a person should know of it. @throws ConfigError where not
std::vector<std::string> check_fit(const RunConfig& config, const LoadedScenario& loaded);

/// The plan; the workers then have the speeds that it gives them. @throws ConfigError where a task takes too long for
/// liveness.deadline
RunPlan ready_plan(const RunConfig& config, const SharedOptions& shared, LoadedScenario& loaded, Progress& progress,
                   const StopSignal& stop);

/// Workers with a step time get the speed that the plan gives them, and all their numbers, where ties are drawn.
void make_ready(LoadedScenario& loaded, const RunPlan& plan);

/// As the run file says. What is learned is computed on `threads`.
SimulationOptions simulation_options(const RunPlan& plan, int threads);

/// What the reports are told of a simulation with this seed, beside its result. Takes links and traffic out of
/// `report`.
RunFacts facts_of(const LoadedScenario& loaded, SimulationReport& report, std::uint64_t seed);

/// Adds what was lost for which cause (losses_by_cause), where machines of the scenario may go for several. `facts` are
/// complete otherwise.
void add_losses(RunFacts& facts, const LoadedScenario& loaded, const SimulationReport& report,
                const std::vector<Event>& events);

}  // namespace dipaco
