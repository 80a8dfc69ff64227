#include <catch2/catch.hpp>

#include "core/coordinator/known/patience.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kAsked{4};
constexpr NodeId kOtherNode{5};

/// With a task of 8 inner steps.
std::optional<Seconds> patience(const RunState& run, NodeId node = kAsked) {
  return patience_with(run, node, 8 * run.plan.inner_step_cost);
}

/// Ten times the computation, and six liveness limits.
Seconds expected(const RunState& run, double inner_step) {
  return Seconds(10 * 8 * inner_step) + 6 * run.plan.config.liveness.limit;
}

}  // namespace

TEST_CASE("patience follows what a worker has measured, then what it says, then what others have measured",
          "[coordinator]") {
  MadeUpRun made("2x2");
  KnownRun known(made);
  RunState& run = known.run;
  const auto add = [&run](NodeId node, double speed) {
    run.members.add(node, {.role = Role::worker, .machine = "m", .speed = speed});
  };
  add(kAsked, 0);
  CHECK_FALSE(patience(run));  // nobody knows
  run.step_times.add(kOtherNode, Seconds(3));
  CHECK(patience(run) == expected(run, 3));
  add(kAsked, run.plan.inner_step_cost.value / 2);
  CHECK(patience(run) == expected(run, 2));
  run.step_times.add(kAsked, Seconds(7));
  CHECK(patience(run) == expected(run, 7));
}

TEST_CASE("patience is greater with a worker whose times vary", "[coordinator]") {
  MadeUpRun made("2x2");
  KnownRun known(made);
  for (const double each : {2.0, 3.0, 4.0}) known.run.step_times.add(kAsked, Seconds(each));
  CHECK(patience(known.run)->count() == Approx(expected(known.run, 3 + 4.5 * 1).count()));
}

}  // namespace dipaco::testing
