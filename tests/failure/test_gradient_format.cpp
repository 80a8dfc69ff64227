// Each format of outer gradients: loopback, the simulator and an executor that makes a lost one again agree.

#include <catch2/catch.hpp>
#include <set>

#include "backends/loopback/run.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// The run's hash, and whether an executor fetched what it needs to make an outer gradient again.
std::string told(const RunPlan& plan, const WorldOptions& options) {
  return in_child([&] {
    const WorldEnd end = run_world(plan, options);
    const auto fetched =
        end.simulated.report.traffic.messages_by_kind[static_cast<std::size_t>(MessageKind::path_module)];
    return hash_of(end) + (fetched > 0 ? " made again" : " sent");
  });
}

}  // namespace

TEST_CASE("every format ends alike on loopback, in the simulator, and after a worker is lost while it sends",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
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
    fault.outer_step = 1;
    fault.stage = FaultStage::sending;
    CHECK(told(plan, {.faults = {fault}}) == hash + " made again");
  }
  CHECK(hashes.size() == 3);
}

}  // namespace dipaco::testing
