// Runs of several regions (outer.policy=hierarchical): each contribution is applied once, and each difference of a
// region.

#include <catch2/catch.hpp>
#include <iostream>
#include <map>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/plan/regions.hpp"
#include "core/replay/replay.hpp"
#include "core/state/order.hpp"
#include "tests/failure/drawn_runs.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

void shape_regions(MadeUpRun& made) {
  shape_random(made.config);
  made.config.evaluate.every = 0;
  made.config.topology.regions = 2;
  made.config.outer.policy = "hierarchical";
  made.config.outer.merge_every = 3;
}

/// "" where of each regional part the differences from all merge points are in the global part, each once and in their
/// order, and it merged after each but the last.
std::string differences_in(const RunPlan& plan, const RunOrder& order) {
  for (const auto& [part, versions] : order.versions) {
    if (!plan.topology.is_regional(part)) continue;
    std::vector<std::int32_t> merge_points{0};
    for (const OrderedVersion& each : versions) {
      for (const TaskId& applied : each.applied) {
        if (applied.path == global_contributor(plan)) merge_points.push_back(number(each.version) - 1);
      }
    }
    std::vector<std::int32_t> given;
    const auto global = order.versions.find(plan.topology.whole(part));
    if (global == order.versions.end()) return "no difference is given";
    for (const OrderedVersion& each : global->second) {
      for (const TaskId& applied : each.applied) {
        if (applied.path == region_contributor(plan, part)) given.push_back(number(applied.outer_step));
      }
    }
    if (given != merge_points) return "differences of other merge points";
  }
  return "";
}

/// "all" where everything adds up, and the run's order comes to its parameters; kGap where it lacks a version.
std::string account(const RunPlan& plan, const WorldEnd& end) {
  const ContributionCounts& counts = end.result.contributions;
  if (end.result.inner_steps != plan.timetable.inner_steps()) return "inner steps are lacking";
  if (counts.settled != counts.given) return "contributions are lacking";
  if (end.result.parameters_hash.size() != 32) return "no hash";
  try {
    const auto& order = end.simulated.report.model.at("order");
    const std::string differences = differences_in(plan, read_order(order, "order"));
    if (!differences.empty()) return differences;
    return replay(plan, order, "order").parameters_hash == end.result.parameters_hash ? "all" : "another replay";
  } catch (const DataError& error) {
    return gap_or(error);
  }
}

void account_with_faults(const RunPlan& plan, std::size_t number) {
  const std::vector<double> workers{4, 2, 0.5};
  const Seconds duration = event_times(plan, {.workers = workers}).back();
  const auto endings = in_children(runs(number), [&](std::size_t k) {
    const bool evaluator = space_of(k, duration).evaluators > 0;
    return account(plan,
                   run_world(plan, {.faults = faults_of(k, duration), .evaluator = evaluator, .workers = workers}));
  });
  judge_drawn(few_gaps(endings), "all", duration);
}

}  // namespace

TEST_CASE("a run of two regions ends alike each time, and its differences add up", "[failure]") {
  MadeUpRun made("shared:4", "blocks:0");
  shape_regions(made);
  const RunPlan plan = made.plan();
  CHECK(in_child([&] { return account(plan, run_world(plan, {})); }) == "all");
  const std::string hash = world_hash(plan, {});
  CHECK(hash.size() == 32);
  CHECK(hash == world_hash(plan, {}));
}

TEST_CASE("a run of two regions ends with each contribution and difference applied whichever host goes off",
          "[failure]") {
  MadeUpRun made("2x4", "blocks:0");  // the first level's modules are one region's each, and not split
  shape_regions(made);
  made.config.outer.steps = 3;
  made.config.outer.merge_every = 2;
  const RunPlan plan = made.plan();
  const auto times = event_times(plan);
  REQUIRE(times.size() > 50);
  const auto worlds = worlds_of(outages_at(times, one_in(), {Seconds(0.5), Seconds(20), std::nullopt}));
  const auto told =
      in_children(worlds.size(), [&](std::size_t k) { return account(plan, run_world(plan, worlds[k])); });
  std::map<std::string, int> counts;
  for (std::size_t k = 0; k < told.size(); ++k) {
    const HostOutage& outage = worlds[k].outages.front();
    const std::string until = outage.until ? format_number(outage.until->count()) : "the end";
    const std::string where =
        " [" + outage.host + " off from " + format_number(outage.from.count()) + " to " + until + "]";
    ++counts[told[k] + (told[k] == "all" ? "" : where)];
  }
  for (const auto& [ending, count] : counts) std::cout << count << " runs: " << ending << std::endl;
  CHECK(counts.size() == 1);
  CHECK(counts.begin()->first == "all");
}

TEST_CASE("a coordinator that gave a global part away before it began anew tells all executors who owns it",
          "[failure]") {
  MadeUpRun made("shared:4", "blocks:0");
  shape_regions(made);
  const RunPlan plan = made.plan();
  // Frozen, it takes the first executor for lost; soon after, before that executor has heard, it begins anew.
  constexpr FaultTarget kNode{Role::coordinator, 0};
  const std::vector<double> workers{4, 2, 0.5};
  const auto told = in_children(8, [&](std::size_t k) {
    const Seconds restart(11 + 0.25 * static_cast<double>(k));
    const FaultPlan faults{
        {.kind = FaultKind::freeze, .target = kNode, .time = Seconds(2.475), .lasting = Seconds(8.367)},
        {.kind = FaultKind::restart, .target = kNode, .time = restart, .lasting = Seconds(0.2)}};
    return account(plan, run_world(plan, {.faults = faults, .workers = workers}));
  });
  CHECK(told == std::vector<std::string>(8, "all"));
}

TEST_CASE("200 simulated runs of two regions apply each contribution and difference under drawn faults", "[failure]") {
  MadeUpRun made("shared:4", "blocks:0");
  shape_regions(made);
  account_with_faults(made.plan(), 200);
}

TEST_CASE("100 simulated runs of three regions with tasks as long as machines are fast do so, too", "[failure]") {
  MadeUpRun made("shared:6");
  shape_regions(made);
  made.config.topology.regions = 3;
  made.config.outer.merge_every = 1;
  made.config.inner.dylu = true;
  account_with_faults(made.plan(), 100);
}

}  // namespace dipaco::testing
