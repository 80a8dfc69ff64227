#include "programs/dipaco_sim/shared/simulated_run.hpp"

#include <algorithm>
#include <utility>

#include "backends/sim/device_fit.hpp"
#include "backends/sim/engine/round_trip.hpp"
#include "backends/sim/losses.hpp"
#include "backends/sim/scenario/ties.hpp"
#include "core/base/error.hpp"
#include "core/config/fleet.hpp"
#include "core/faults/parse.hpp"
#include "programs/shared/session.hpp"

namespace dipaco {
namespace {

/// What an inner step takes on the fastest worker.
Seconds fastest_step(const Placement& placement, const RunPlan& plan) {
  double speed = 0;
  for (const PlacedNode& node : placement.nodes) {
    if (node.role == Role::worker) speed = std::max(speed, node.speed.value);
  }
  return Seconds(plan.inner_step_cost.value / speed);
}

}  // namespace

std::vector<std::string> check_fit(const RunConfig& config, const LoadedScenario& loaded) {
  const FaultPlan faults = parse_faults(config.faults);
  if (loaded.options.draws_ties && !faults.empty()) {
    throw ConfigError(
        loaded.file.path().string() +
        ": ties=\"drawn\" numbers workers anew, and [faults] strike nodes by their numbers; leave one out");
  }
  check_targets(faults, node_facts(loaded.placement));
  check_workers(config, std::ssize(loaded.placement.with(Role::worker)));
  check_round_trip(config.liveness, longest_round_trip(loaded.file, loaded.placement), loaded.file.path().string(),
                   "on this platform");
  return check_device_memory(config, loaded.placement, loaded.file.path().string());
}

RunPlan ready_plan(const RunConfig& config, const SharedOptions& shared, LoadedScenario& loaded, Progress& progress,
                   const StopSignal& stop) {
  RunPlan plan = plan_run(config, shared, progress, stop);
  make_ready(loaded, plan);
  check_deadline(config, fastest_step(loaded.placement, plan),
                 "on the fastest worker of " + loaded.file.path().string());
  return plan;
}

void make_ready(LoadedScenario& loaded, const RunPlan& plan) {
  set_speeds(loaded.placement, plan.inner_step_cost);
  if (loaded.options.draws_ties) draw_ties(loaded.placement, plan.config.run.seed);
}

SimulationOptions simulation_options(const RunPlan& plan, int threads) {
  const RunConfig& config = plan.config;
  return {.seed = config.run.seed,
          .limit = config.liveness.limit,
          .period = config.liveness.period,
          .deadline = config.liveness.deadline,
          .line_turns = config.run.line_turns,
          .plan = &plan,
          .faults = parse_faults(config.faults),
          .threads = plan.learner->learns() ? threads : 0};
}

RunFacts facts_of(const LoadedScenario& loaded, SimulationReport& report, std::uint64_t seed) {
  RunFacts facts{.simulated = true,
                 .sites = loaded.placement.sites,
                 .nodes = node_facts(loaded.placement),
                 .links = std::move(report.links),
                 .traffic = std::move(report.traffic),
                 .costs = costs_of(loaded, report)};
  for (LinkFacts& link : facts.links) {
    const auto rates = loaded.link_rates.find(link.name);
    if (rates != loaded.link_rates.end() && report.ended > Seconds(0)) {
      link.bandwidth = rates->second.mean(report.ended, seed).value;
    }
  }
  facts.more["backend"] = std::string("sim");
  facts.more["network_model"] = loaded.engine->network_model();
  facts.more["scenario"] = loaded.file.path().filename().string();
  return facts;
}

void add_losses(RunFacts& facts, const LoadedScenario& loaded, const SimulationReport& report,
                const std::vector<Event>& events) {
  if (!loaded.placement.has_several_causes()) return;
  facts.more.merge(losses_by_cause(facts, report.departures, events));
}

}  // namespace dipaco
