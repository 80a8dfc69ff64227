// Runs without rounds with drawn faults of all kinds: each contribution is applied once, or dropped once.

#include <catch2/catch.hpp>

#include "core/base/error.hpp"
#include "core/replay/replay.hpp"
#include "tests/failure/drawn_runs.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// "all" where the run's order comes to its parameters; kGap where it lacks a version.
std::string replayed(const RunPlan& plan, const WorldEnd& end) {
  try {
    const auto& order = end.simulated.report.model.at("order");
    return replay(plan, order, "order").parameters_hash == end.result.parameters_hash ? "all" : "another replay";
  } catch (const DataError& error) {
    return gap_or(error);
  }
}

/// Without rounds the parameters depend on the order of contributions, which losses change; the account does not.
void account_with_faults(MadeUpRun& made, std::size_t number) {
  shape_random(made.config);
  made.config.evaluate.every = 0;
  const RunPlan plan = made.plan();
  const std::vector<double> workers{4, 2, 0.5};
  const Seconds duration = event_times(plan, {.workers = workers}).back();
  const auto endings = in_children(runs(number), [&](std::size_t k) {
    const bool evaluator = space_of(k, duration).evaluators > 0;
    const WorldEnd end =
        run_world(plan, {.faults = faults_of(k, duration), .evaluator = evaluator, .workers = workers});
    const RunResult& result = end.result;
    const ContributionCounts& counts = result.contributions;
    const bool all = result.inner_steps == plan.timetable.inner_steps() && counts.settled == counts.given;
    return all && result.parameters_hash.size() == 32 ? replayed(plan, end) : "something is lacking";
  });
  judge_drawn(few_gaps(endings), "all", duration);
}

}  // namespace

TEST_CASE("200 simulated asynchronous runs apply or drop each contribution under drawn faults", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.policy = "asynchronous";
  made.config.outer.max_staleness = 2;
  account_with_faults(made, 200);
}

TEST_CASE("100 simulated runs whose modules gather contributions apply or drop each under drawn faults", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.policy = "asynchronous";
  made.config.outer.buffer = 2;
  made.config.outer.max_staleness = 1;
  made.config.outer.staleness_weight = "polynomial";
  account_with_faults(made, 100);
}

TEST_CASE("200 simulated runs whose tasks are as long as machines are fast do all inner steps under drawn faults",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.policy = "asynchronous";
  made.config.inner.dylu = true;
  account_with_faults(made, 200);
}

TEST_CASE("100 simulated runs with a quorum of tasks of different lengths do all inner steps under drawn faults",
          "[failure]") {
  MadeUpRun made("2x4", "blocks:0");
  made.config.outer.policy = "quorum";
  made.config.outer.quorum = 2;
  made.config.outer.weighting = "tokens";
  made.config.inner.dylu = true;
  account_with_faults(made, 100);
}

TEST_CASE(
    "100 simulated runs whose modules wait a share of what half of the paths took do all inner steps under drawn "
    "faults",
    "[failure]") {
  MadeUpRun made("2x4", "blocks:0");
  made.config.outer.policy = "quorum";
  made.config.outer.grace_share = 0.25;
  made.config.inner.dylu = true;
  account_with_faults(made, 100);
}

TEST_CASE("200 simulated runs whose modules step at a quorum apply or drop each contribution under drawn faults",
          "[failure]") {
  MadeUpRun made("2x4", "blocks:0");
  made.config.outer.policy = "quorum";
  made.config.outer.quorum = 2;
  account_with_faults(made, 200);
}

}  // namespace dipaco::testing
