// Workers of which one is slow: it waits, unless others are lost (docs/decisions/0022).

#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <memory>

#include "core/base/text.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// Four tasks an outer step take a second, two and eight on the three workers: the first does three of them.
const std::vector<double> kUnequal{4, 2, 0.5};

void shape_unequal(RunConfig& config) {
  config.outer.steps = 3;
  config.inner.steps = 4;
  config.evaluate.every = 2;
  config.run.replicas = 2;
  config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
}

/// How many tasks h5 was given, and how long the run took.
std::string by_the_slow_one(const RunPlan& plan, const WorldOptions& options) {
  return in_child([&] {
    const WorldEnd end = run_world(plan, options);
    int given = 0;
    for (const Event& event : end.simulated.events) {
      given += event.kind == EventKind::task_assigned && event.node == NodeId{7} ? 1 : 0;
    }
    return std::to_string(given) + " tasks, " + (end.result.duration < Seconds(14) ? "fast" : "slow");
  });
}

}  // namespace

TEST_CASE("a slow worker takes no task unless a fast one is lost, and no bit depends on it", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_unequal(made.config);
  const RunPlan plan = made.plan();
  CHECK(by_the_slow_one(plan, {.workers = kUnequal}) == "0 tasks, fast");
  const std::vector<HostOutage> both{{"h3", Seconds(2), std::nullopt}, {"h4", Seconds(2), std::nullopt}};
  CHECK_THAT(by_the_slow_one(plan, {.outages = both, .workers = kUnequal}), Catch::EndsWith(" tasks, slow"));
  const std::string hash = world_hash(plan, {.workers = kUnequal});
  CHECK(hash.size() == 32);
  CHECK(hash == world_hash(plan, {}));
  CHECK(hash == world_hash(plan, {.outages = both, .workers = kUnequal}));
  // Where the line is said to be thin, all is done at the first site; the rest as before.
  CHECK(hash == world_hash(plan, {.workers = kUnequal, .lines = said_to_carry(1e3, 1e3)}));
  made.config.run.schedule = "first_free";
  const RunPlan first_free = made.plan();
  CHECK_THAT(by_the_slow_one(first_free, {.workers = kUnequal}), Catch::EndsWith(" tasks, slow"));
  CHECK(hash == world_hash(first_free, {.workers = kUnequal}));
}

TEST_CASE("a run of unequal workers ends with the same parameters whichever host goes off, at any event", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_unequal(made.config);
  made.config.run.schedule = GENERATE("earliest_finish", "first_free");
  CAPTURE(made.config.run.schedule);
  const RunPlan plan = made.plan();
  const std::string hash = world_hash(plan, {});
  REQUIRE(hash.size() == 32);
  const auto times = event_times(plan, {.workers = kUnequal});
  REQUIRE(times.size() > 100);
  const auto outages = outages_at(times, one_in(), {Seconds(0.5), Seconds(20), std::nullopt});
  const auto told = in_children(outages.size(), [&](std::size_t k) {
    const auto lines = k % 2 == 0 ? nullptr : said_to_carry(2e3, 20e3);
    return hash_of(run_world(plan, {.outages = {outages[k]}, .workers = kUnequal, .lines = lines}));
  });
  std::map<std::string, int> counts;
  for (std::size_t k = 0; k < told.size(); ++k) {
    const HostOutage& outage = outages[k];
    ++counts[told[k] == hash ? "same"
                             : told[k] + " [" + outage.host + " off at " + format_number(outage.from.count()) +
                                   (outage.until ? " for a while]" : " for good]")];
  }
  for (const auto& [ending, count] : counts) std::cout << count << " runs: " << ending << std::endl;
  CHECK(counts.size() == 1);
  CHECK(counts.begin()->first == "same");
}

}  // namespace dipaco::testing
