// Each format of outer gradients: loopback, the simulator and an executor that makes a lost one again agree.

#include <catch2/catch.hpp>
#include <set>

#include "backends/loopback/run.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// The run's hash, and whether an outer gradient was made again: by an executor that fetched what it needs, or where
/// gradients are exchanged by a worker.
std::string told(const RunPlan& plan, const WorldOptions& options) {
  return in_child([&] {
    const WorldEnd end = run_world(plan, options);
    const bool gradients = plan.policy.exchange == Exchange::gradients;
    const MessageKind kind = gradients ? MessageKind::gradients_made : MessageKind::path_module;
    const auto made = end.simulated.report.traffic.messages_by_kind[static_cast<std::size_t>(kind)];
    return hash_of(end) + (made > 0 ? " made again" : " sent");
  });
}

}  // namespace

TEST_CASE("every format ends alike on loopback, in the simulator, and after a worker is lost while it sends",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const auto policy = GENERATE(std::string("synchronous"), std::string("gradients"));
  CAPTURE(policy);
  made.config.outer.policy = policy;
  if (policy == "gradients") made.config.inner.steps = 1;
  made.config.outer.steps = 3;
  made.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
  std::set<std::string> hashes;
  for (const char* format : {"fp32", "bf16", "int8"}) {
    made.config.outer.outer_gradient_format = format;
    const RunPlan plan = made.plan();
    const std::string hash = in_child([&] { return loopback_hash(plan, {.workers = 2}); });
    REQUIRE(hash.size() == 32);
    hashes.insert(hash);
    CHECK(told(plan, {}) == hash + " sent");
    Fault fault{.kind = FaultKind::kill, .target = {Role::worker, 0}};
    fault.outer_step = OuterStep{1};
    fault.stage = FaultStage::sending;
    CHECK(told(plan, {.faults = {fault}}) == hash + " made again");
  }
  CHECK(hashes.size() == 3);
}

}  // namespace dipaco::testing
