// "A policy" of docs/extending.md: tests/support/half_policy.hpp, which this project's tables do not have.

#include <catch2/catch.hpp>

#include "backends/loopback/run.hpp"
#include "core/base/error.hpp"
#include "tests/extending/named.hpp"
#include "tests/support/half_policy.hpp"

namespace dipaco {
namespace {

using testing::error_of;
using testing::read_again;

}  // namespace

TEST_CASE("a run file names a policy that the program brings, and the run ends under it", "[extending]") {
  MadeUpRun made("2x2", "blocks:0");
  read_again(made, parts_with_half(), {"outer.policy=half"});
  const RunPlan plan = made.plan();
  CHECK(plan.policy.name == "half");
  for (const std::int32_t workers : {1, 4}) {
    const auto done = run_loopback(plan, {.workers = workers, .test_clock = true});
    CHECK(done.result.parameters_hash.size() == 32);
    // Two modules of the second level, each with two paths and four outer steps, and two of the first.
    CHECK(done.result.contributions.settled == 2 * 2 * 4 + 2 * 2 * 4);
  }
}

TEST_CASE("an own policy is in the dump, in the hash and in errors, like those of this project", "[extending]") {
  MadeUpRun made("2x2");
  const std::string before = config_hash(made.config);
  read_again(made, parts_with_half(), {"outer.policy=half"});
  CHECK_THAT(dump_config(made.config), Catch::Contains("\npolicy=half\n"));
  CHECK(config_hash(made.config) != before);
  CHECK(made.plan().config_hash == config_hash(made.config));
  CHECK(error_of("[outer]\npolicy=halff\n", parts_with_half()) ==
        "runs/a.cfg:2: policy=halff in [outer] is not allowed; did you mean \"half\"?; write synchronous, gradients, "
        "asynchronous, quorum, hierarchical or half");
  CHECK_THAT(error_of("[outer]\npolicy=half\n", {}),
             Catch::EndsWith("write synchronous, gradients, asynchronous, quorum or hierarchical"));
}

TEST_CASE("what a run file asks for is checked against what its policy can do", "[extending]") {
  const NamedParts parts = parts_with_half();
  CHECK(error_of("[outer]\npolicy=half\n", parts).empty());
  CHECK(error_of("[outer]\npolicy=half\n[evaluate]\nevery=2\n", parts) ==
        "runs/a.cfg:4: evaluate.every=2 needs rounds, and there are none with outer.policy=half; write every=0");
  CHECK_THAT(error_of("[outer]\npolicy=half\n[routing]\nreshard_at=2\n", parts), Catch::Contains("leave it empty"));
  MadeUpRun made("2x2");
  made.config.parts = std::make_shared<const NamedParts>(parts);
  made.config.outer.policy = "half";
  made.config.routing.sample_paths = 0.5;
  CHECK_THROWS_WITH(made.plan(), Catch::Contains("routing.sample_paths=0.5 needs rounds"));
  made.config.outer.policy = "hall";
  CHECK_THROWS_WITH(made.plan(), Catch::Contains("outer.policy: unknown value \"hall\"") &&
                                     Catch::EndsWith("did you mean \"half\"?"));
}

TEST_CASE("two parts of one name are a bug of the program that brings them", "[extending]") {
  NamedParts parts = parts_with_half();
  parts.policies.push_back(parts.policies.back());
  CHECK_THROWS_AS(error_of("", parts), std::logic_error);
  NamedParts automatic;
  automatic.optimizers.push_back({.name = "auto", .make = automatic.optimizers.front().make});
  CHECK_THROWS_AS(error_of("", automatic), std::logic_error);
  NamedParts unreadable;
  unreadable.routers.push_back({.name = "mine", .fit = unreadable.routers.front().fit});
  CHECK_THROWS_AS(error_of("", unreadable), std::logic_error);
}

}  // namespace dipaco
