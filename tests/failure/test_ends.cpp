// Runs that cannot go on say why, and say it again when they are run again.

#include <catch2/catch.hpp>

#include "core/base/text.hpp"
#include "tests/failure/drawn_faults.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

RunPlan small_plan(MadeUpRun& made) {
  made.config.outer.steps = 6;
  made.config.inner.steps = 4;
  made.config.run.replicas = 2;
  made.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(600)};
  return made.plan();
}

}  // namespace

TEST_CASE("a run whose coordinator is off for good ends and names its host and since when", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = small_plan(made);
  const std::string ending = world_hash(plan, {.outages = {{"h0", Seconds(0.3), std::nullopt}}});
  CHECK_THAT(ending,
             StartsWith("threw: ") && Contains("the coordinator is lost: its host \"h0\" is off since 0.300 s"));
}

TEST_CASE("a run without stores ends and says which path waits for which store since when", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = small_plan(made);
  const WorldOptions world{.outages = {{"h1", Seconds(0.29), std::nullopt}, {"h2", Seconds(0.30), std::nullopt}}};
  const std::string ending = world_hash(plan, world);
  CHECK_THAT(ending, Contains("no progress for 600 s") && Contains("0 of 2 stores are there"));
  CHECK_THAT(ending, Contains("path 0, outer step ") && Contains("waits for store") && Contains(" since "));
}

TEST_CASE("a run without workers ends and says so", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = small_plan(made);
  WorldOptions world;
  for (const char* host : {"h3", "h4", "h5"}) world.outages.push_back({host, Seconds(0.3), std::nullopt});
  CHECK_THAT(world_hash(plan, world), Contains("0 workers") && Contains("waits for a worker since "));
}

TEST_CASE("hellos that say nothing new do not keep a run alive that cannot begin", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = small_plan(made);
  // Before anybody has said hello, and then the coordinator, so that the evaluator greets it over and over.
  WorldOptions world{.evaluator = true};
  for (const char* host : {"h1", "h2"}) world.outages.push_back({host, Seconds(0.001), std::nullopt});
  world.outages.push_back({"h0", Seconds(10), Seconds(20)});
  CHECK_THAT(world_hash(plan, world), Contains("no progress for 600 s") && Contains("0 of 2 executors"));
}

TEST_CASE("a seed whose simulated run fails replays exactly", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = small_plan(made);
  const FaultSpace space{.duration = event_times(plan).back()};
  int replayed = 0;
  for (std::uint64_t seed = 0; seed < 100 && replayed < 2; ++seed) {
    const auto ending = [&] { return world_hash(plan, {.faults = draw_faults(seed, space)}); };
    const std::string first = ending();
    if (first.size() == 32) continue;
    CHECK_THAT(first, StartsWith("threw: "));
    CHECK(ending() == first);
    ++replayed;
  }
  CHECK(replayed == 2);
}

}  // namespace dipaco::testing
