#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "backends/loopback/run.hpp"
#include "core/base/error.hpp"
#include "core/faults/parse.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {
namespace {

LoopbackRun run_with(const RunPlan& plan, const FaultOptions& faults) {
  return run_loopback(plan, {.workers = 3, .faults = parse_faults(faults), .test_clock = true});
}

std::int64_t count(const LoopbackRun& run, EventKind kind, NodeId node) {
  return std::count_if(run.events.begin(), run.events.end(),
                       [&](const Event& event) { return event.kind == kind && event.node == node; });
}

constexpr NodeId kFirstWorker{3};  // behind the coordinator, a store and an executor

}  // namespace

TEST_CASE("a worker that is ended or frozen at any stage changes no parameter", "[faults]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = made.plan();
  const LoopbackRun calm = run_with(plan, {});
  REQUIRE(calm.result.parameters_hash.size() == 32);
  for (const std::string stage : {"hello", "gathering", "computing", "storing", "sending"}) {
    for (const std::string kind : {"kill", "restart", "freeze"}) {
      INFO(kind << " while " << stage);
      const std::string at = "worker:0@" + stage;
      const LoopbackRun run = run_with(plan, {.kill = kind == "kill" ? at : "",
                                              .restart = kind == "restart" ? at + ",for=4s" : "",
                                              .freeze = kind == "freeze" ? at + ",for=25s" : ""});
      CHECK(run.result.parameters_hash == calm.result.parameters_hash);
      CHECK(run.never_struck.empty());
      CHECK(count(run, EventKind::node_down, kFirstWorker) == 1);
      // Who was away for a while may find that the run is over.
      if (kind == "kill") CHECK(count(run, EventKind::node_up, kFirstWorker) == 1);
    }
  }
}

TEST_CASE("a worker that is cut off or late changes no parameter", "[faults]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = made.plan();
  const std::string hash = run_with(plan, {}).result.parameters_hash;
  for (const std::string stage : {"gathering", "computing", "storing", "sending"}) {
    const std::string at = "worker:0@outer_step=1," + stage;
    INFO(at);
    CHECK(run_with(plan, {.delay = at + ",for=3s"}).result.parameters_hash == hash);
    CHECK(run_with(plan, {.cut = at + ",for=7s"}).result.parameters_hash == hash);
    CHECK(run_with(plan, {.cut = at + ",for=40s"}).result.parameters_hash == hash);
    CHECK(run_with(plan, {.cut = "worker:0-store:0@outer_step=1," + stage + ",for=40s"}).result.parameters_hash ==
          hash);
  }
}

TEST_CASE("the faults of the run file strike, and those whose moment did not come are told", "[faults]") {
  MadeUpRun made("2x2");
  made.config.faults.restart = "worker:1@outer_step=1,computing,for=2s; worker:2@time=1000000s,for=1s";
  const LoopbackRun run = run_with(made.plan(), {});
  CHECK(count(run, EventKind::node_down, NodeId{4}) == 1);
  REQUIRE(run.never_struck.size() == 1);
  CHECK(run.never_struck[0].target == FaultTarget{Role::worker, 2});
}

TEST_CASE("a fault of a node that the run does not have is refused before anything starts", "[faults]") {
  MadeUpRun made("2x2");
  CHECK_THROWS_AS(run_with(made.plan(), {.kill = "worker:3@hello"}), ConfigError);
}

TEST_CASE("a coordinator that is ended for good ends the run with status 5 and its name", "[faults]") {
  MadeUpRun made("2x2");
  try {
    run_with(made.plan(), {.kill = "coordinator:0@outer_step=1,assigning"});
    FAIL("the run has ended");
  } catch (const RunError& error) {
    CHECK(error.exit_status() == 5);
    CHECK_THAT(error.what(), Catch::Contains("coordinator (node 0)"));
  }
}

TEST_CASE("a run whose only worker is gone gives up after a week that takes no time", "[faults]") {
  MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  const auto start = std::chrono::steady_clock::now();
  try {
    run_loopback(
        plan,
        {.workers = 1, .faults = parse_faults(FaultKind::kill, "worker:0@outer_step=1,computing"), .test_clock = true});
    FAIL("the run has ended");
  } catch (const RunError& error) {
    CHECK(error.exit_status() == 4);
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("on a test's clock a run takes a second for an inner step of its longest chain", "[faults]") {
  MadeUpRun made("shared:1");  // one path: 4 outer steps of 5 inner steps, nothing beside them
  const LoopbackRun run = run_loopback(made.plan(), {.workers = 1, .test_clock = true});
  CHECK(run.result.duration == Seconds(20));
}

}  // namespace dipaco
