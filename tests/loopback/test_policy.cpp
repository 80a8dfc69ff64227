// Runs under a policy without rounds: each module counts its versions for itself.

#include <catch2/catch.hpp>

#include "backends/loopback/run.hpp"
#include "tests/support/half_policy.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {

TEST_CASE("a run whose modules step at half of their contributions and drop the rest ends", "[loopback]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 4;
  const RunPlan plan = plan_without_rounds(made);
  for (const std::int32_t workers : {1, 2, 4}) {
    const auto done = run_loopback(plan, {.workers = workers, .test_clock = true});
    CHECK(done.result.parameters_hash.size() == 32);
    // Two modules of two levels, each shared by two paths with four tasks; the first level's block is the paths' own.
    CHECK(done.result.contributions.settled == 4 * 2 * 4);
  }
}

}  // namespace dipaco
