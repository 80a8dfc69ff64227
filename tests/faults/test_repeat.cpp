// Messages that arrive twice.

#include <catch2/catch.hpp>
#include <string>

#include "backends/loopback/run.hpp"
#include "core/faults/parse.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {
namespace {

LoopbackRun run_repeating(const RunPlan& plan, const FaultOptions& faults) {
  return run_loopback(plan, {.workers = 3, .faults = parse_faults(faults), .test_clock = true});
}

}  // namespace

TEST_CASE("messages that any node sends twice change no parameter", "[faults]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.evaluate.every = 2;
  const RunPlan plan = made.plan();
  const LoopbackRun calm = run_repeating(plan, {});
  REQUIRE(calm.result.parameters_hash.size() == 32);
  for (const char* node : {"coordinator:0", "worker:1", "executor:0", "store:0"}) {
    INFO(node);
    const LoopbackRun run = run_repeating(plan, {.repeat = std::string(node) + "@time=0s,for=100000s"});
    CHECK(run.never_struck.empty());
    CHECK(run.traffic.messages > calm.traffic.messages);
    CHECK(run.result.parameters_hash == calm.result.parameters_hash);
  }
}

}  // namespace dipaco
