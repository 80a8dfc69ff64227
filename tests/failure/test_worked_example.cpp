// The worked example of docs/reading-the-output.md: what a fault plan costs, by hand and by the summary.

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <sstream>

#include "core/base/text.hpp"
#include "core/report/report.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

struct ExamplePlace {
  Role role;
  int site;
  const char* host;
};

constexpr ExamplePlace kExamplePlaces[] = {{Role::coordinator, 0, "h0"}, {Role::executor, 0, "h0"},
                                           {Role::store, 0, "h0"},       {Role::worker, 0, "h1"},
                                           {Role::worker, 0, "h2"},      {Role::worker, 1, "h3"}};

/// A message takes an eighth of a second between hosts and no time within one; an inner step takes a second.
Simulated simulate_example(const RunPlan& plan, RunFacts& facts) {
  std::vector<std::string> hosts;
  for (const ExamplePlace& place : kExamplePlaces) hosts.emplace_back(place.host);
  const auto program = [&](const PlacedNode& node, Seams seams) {
    if (node.role == Role::coordinator) {
      facts.duration = run_coordinator(plan, seams, {.executors = 1, .stores = 1}).duration;
    } else {
      run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
    }
  };
  const FaultPlan faults{
      {.kind = FaultKind::restart, .target = {Role::worker, 0}, .time = Seconds(5), .lasting = Seconds(1)},
      {.kind = FaultKind::freeze, .target = {Role::worker, 1}, .time = Seconds(4), .lasting = Seconds(20)}};
  const SitePreemption spot{.site = SiteId{1},
                            .steps = {{Seconds(0), 1}, {Seconds(6), 0}, {Seconds(18), 1}},
                            .notice = Seconds(2),
                            .hosts = {"h3"}};
  return run_nodes({full_platform(4, "bandwidth=\"1TBps\" latency=\"125ms\"")}, static_cast<int>(hosts.size()), program,
                   {.limit = plan.config.liveness.limit,
                    .period = plan.config.liveness.period,
                    .deadline = plan.config.liveness.deadline,
                    .faults = faults},
                   hosts, [&](Placement& placement) {
                     placement.sites = facts.sites;
                     for (std::size_t n = 0; n < placement.nodes.size(); ++n) {
                       placement.nodes[n].role = kExamplePlaces[n].role;
                       placement.nodes[n].site = SiteId{kExamplePlaces[n].site};
                       placement.nodes[n].speed = {plan.inner_step_cost.value};
                     }
                     placement.preemptions = {spot};
                     facts.nodes = node_facts(placement);
                   });
}

/// "key value" lines; values to a microsecond: a state's bytes take some nanoseconds.
std::string told(const RunPlan& plan) {
  RunFacts facts{.simulated = true,
                 .outer_steps = plan.config.outer.steps,
                 .inner_steps = plan.config.inner.steps,
                 .paths = plan.topology.paths(),
                 .sites = {"fixed", "spot"}};
  const Simulated simulated = simulate_example(plan, facts);
  std::string lines;
  for (const auto& [key, fact] : summarize(facts, simulated.events)) {
    const auto* real = std::get_if<double>(&fact);
    const auto* whole = std::get_if<std::int64_t>(&fact);
    if (real == nullptr && whole == nullptr) continue;
    const double value = real != nullptr ? *real : static_cast<double>(*whole);
    lines.append(key).append(" ").append(format_number(std::round(value * 1e6) / 1e6)).append("\n");
  }
  return lines;
}

std::map<std::string, double> summary_of(const RunPlan& plan) {
  const std::string text = in_child([&] { return told(plan); });
  INFO(text);
  std::map<std::string, double> summary;
  std::istringstream words(text);
  std::string value;
  for (std::string key; words >> key >> value;) summary[key] = parse_number(value).value_or(NAN);
  return summary;
}

}  // namespace

// Three paths that share nothing (levels=3) on three workers, two outer steps of 10 inner steps. With d = 1/8 s a task
// that is assigned at t starts at t + d, or at t + 3 d where its worker must fetch the path's state first; the store
// has the result d after the inner steps, the worker hears so at 2 d, the coordinator of the worker at 3 d.
//
// Worker 0 (node 3), off from 5 to 6:
//   path 0, step 0, attempt 1: assigned d, inner steps from 0.25 to 5: 4.75 s, 4 whole steps, lost
//   path 0, step 0, attempt 2: assigned 6 + d, inner steps 6.25 to 16.25, committed 16.5
//   path 0, step 1:            assigned 16.625, inner steps 16.75 to 26.75, committed 27
//   path 1, step 0, attempt 2: assigned 27.125 (it waits since 7), inner steps 27.25 to 37.25, committed 37.5
// Worker 1 (node 4), frozen from 4 to 24, missed after 3 s:
//   path 1, step 0, attempt 1: inner steps from 0.25, 3.75 s before the freeze and 6.25 s after it, to 30.25: 10 steps,
//                              refused by the store, which has it at 30.375: lost
//   path 1, step 1:            assigned 37.375 by the coordinator, which hears of the commit at once; state from the
//                              store, inner steps 37.75 to 47.75; the store has it at 47.875: the end of the run
// Worker 2 (node 5), spot, notice at 4, away from 6 to 18:
//   path 2, step 0, attempt 1: inner steps 0.25 to 4.25: the fourth was at hand at the notice; handed back 4.5
//   path 2, step 0, attempt 2: assigned 18 + d, inner steps 5 to 10 from 18.5 to 24.5, committed 24.75
//   path 2, step 1:            assigned 24.875, inner steps 25 to 35, committed 35.25
TEST_CASE("goodput, shares and lost steps are those that follow from the fault plan by hand", "[failure]") {
  MadeUpRun made("3");
  made.config.outer.steps = 2;
  made.config.inner.steps = 10;
  made.config.run.schedule = "first_free";
  made.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(1000)};
  auto summary = summary_of(made.plan_of_costs());
  REQUIRE(summary["simulated_s"] == 47.875);

  CHECK(summary["tasks_completed"] == 6);
  CHECK(summary["tasks_requeued"] == 2);  // the restart's and the freeze's
  CHECK(summary["tasks_handed_back"] == 1);
  CHECK(summary["workers_lost"] == 3);
  CHECK(summary["inner_steps_computed"] == 60 + 4 + 10);
  CHECK(summary["inner_steps_lost"] == 4 + 10);
  CHECK(summary["useful_inner_step_share"] == Approx(60.0 / 74).margin(1e-6));

  const double up = (47.875 - 1) + (47.875 - 20) + (6 + 47.875 - 18);
  const double provisioned = 47.875 + 47.875 + (6 + 47.875 - 18);  // a spot machine that is away costs nothing
  CHECK(summary["worker_up_s"] == up);
  CHECK(summary["worker_provisioned_s"] == provisioned);
  CHECK(summary["worker_compute_s"] == 6 * 10);
  CHECK(summary["worker_lost_s"] == 4.75 + (3.75 + 6.25));
  // 8 states to the store, the one that was handed back and the refused one among them, and 2 from it, d each
  CHECK(summary["worker_transfer_s"] == 10 * 0.125);
  CHECK(summary["worker_wait_s"] == up - 60 - 14.75 - 1.25);
  CHECK(summary["goodput"] == Approx(60 / provisioned).margin(1e-6));
  CHECK(summary["compute_utilization"] == Approx(74.75 / up).margin(1e-6));
  // 2 d for each of 5 commits and the part; d for the refused state and for the last one, at which the run ends
  CHECK(summary["worker_commit_wait_s"] == 6 * 0.25 + 2 * 0.125);
  CHECK(summary["commit_wait_share"] == Approx(1.75 / up).margin(1e-6));
}

}  // namespace dipaco::testing
