// A worker that stands still for two thirds of its time, and tasks that are given to a second worker.

#include <catch2/catch.hpp>
#include <iostream>
#include <map>

#include "core/base/text.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// Two paths for three workers, tasks of some seconds.
void shape(RunConfig& config) {
  config.outer.steps = 8;
  config.inner.steps = 40;
  config.charge = {.model = config.model, .inner = config.inner};
  config.charge->inner.steps = 1000 * config.inner.steps;  // computing takes longer than moving
  config.run.replicas = 2;
  config.run.backup_tasks = true;
  config.liveness = {.period = Seconds(0.1), .limit = Seconds(0.3), .deadline = Seconds(3600)};
}

/// From `from` on, for `lasting`, the worker computes at a third of its speed.
FaultPlan slow(int worker, Seconds from, Seconds lasting) {
  constexpr Seconds kSlice{0.15};
  FaultPlan plan;
  for (Seconds at = from; at < from + lasting; at += kSlice) {
    plan.push_back(
        {.kind = FaultKind::freeze, .target = {Role::worker, worker}, .time = at, .lasting = kSlice * 2.0 / 3.0});
  }
  return plan;
}

}  // namespace

TEST_CASE("a worker that becomes slow holds up one outer step, its tasks are given twice, and no bit changes",
          "[failure]") {
  MadeUpRun made("shared:2");
  shape(made.config);
  const RunPlan plan = made.plan();
  const WorldOptions disturbed{.faults = slow(0, Seconds(10), Seconds(60))};
  const std::string told = in_child([&] {
    const WorldEnd end = run_world(plan, disturbed);
    int beside = 0;
    int slow = 0;
    for (const Event& event : end.simulated.events) {
      beside += event.kind == EventKind::task_assigned && event.attempt == 2 ? 1 : 0;
      slow += event.kind == EventKind::worker_slow ? 1 : 0;
    }
    return hash_of(end) + " " + std::to_string(beside) + " twice, " + std::to_string(slow) + " slow, " +
           (end.result.duration < Seconds(40) ? "in time" : format_number(end.result.duration.count()) + " s");
  });
  CHECK(told == world_hash(plan, {}) + " 1 twice, 1 slow, in time");
}

TEST_CASE("a run with backup tasks ends with the same parameters whichever host goes off while a worker is slow",
          "[failure]") {
  MadeUpRun made("shared:2", "blocks:0");
  shape(made.config);
  made.config.outer.steps = 5;
  const RunPlan plan = made.plan();
  const std::string hash = world_hash(plan, {});
  REQUIRE(hash.size() == 32);
  const WorldOptions slowed{.faults = slow(0, Seconds(7), Seconds(40))};
  auto times = event_times(plan, slowed);
  std::erase_if(times, [](Seconds time) { return time < Seconds(7); });
  std::vector<WorldOptions> worlds;
  for (HostOutage& outage : outages_at(times, one_in(), {Seconds(0.1), Seconds(5), std::nullopt})) {
    worlds.push_back({.outages = {std::move(outage)}, .faults = slowed.faults});
  }
  const auto told = in_children(worlds.size(), [&](std::size_t k) { return hash_of(run_world(plan, worlds[k])); });
  std::map<std::string, int> endings;
  for (std::size_t k = 0; k < told.size(); ++k) {
    ++endings[told[k] == hash ? "same"
                              : told[k] + " [" + worlds[k].outages[0].host + " off at " +
                                    format_number(worlds[k].outages[0].from.count()) + "]"];
  }
  for (const auto& [ending, count] : endings) std::cout << count << " runs: " << ending << std::endl;
  CHECK(endings.size() == 1);
  CHECK(endings.begin()->first == "same");
}

}  // namespace dipaco::testing
