// A sample of the sweep's runs with the trainer that users have.

#include <catch2/catch.hpp>
#include <iostream>

#include "core/base/random.hpp"
#include "core/trainer/trainer.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr std::size_t kRuns = 20;

/// In a child: LibTorch's threads do not outlive a fork.
RunPlan plan_with_libtorch(MadeUpRun& made) {
  made.config.model.head_size = 2;
  made.config.model.heads = 2;
  const Topology topology = make_topology(made.config.topology, made.config.model, made.folder());
  made.trainer = load_trainer({made.config.model, made.config.inner, make_layout(made.config.model, topology)});
  return made.plan();
}

}  // namespace

TEST_CASE("20 of the sweep's runs, drawn, end the same with LibTorch", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 3;
  made.config.inner.steps = 4;
  made.config.evaluate.every = 2;
  made.config.routing.reshard_at = "1";
  made.config.run.replicas = 2;
  made.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
  const std::string hash = in_child([&] { return hash_of(run_world(plan_with_libtorch(made), {})); });
  REQUIRE(hash.size() == 32);
  CHECK(in_child([&] { return loopback_hash(plan_with_libtorch(made), {.workers = 3}); }) == hash);
  const auto times = event_times(made.plan());
  const auto draw = [&](std::size_t run) {
    HostOutage outage{.host = "h", .from = times[draw_below(times.size(), run, Draw::jitter, 0)]};
    const std::uint64_t host = draw_below(kHosts, run, Draw::jitter, 1);
    outage.host += std::to_string(host);
    if (host == 0 || run % 2 == 0) outage.until = outage.from + Seconds(run % 4 == 0 ? 0.5 : 20);
    return outage;
  };
  const auto endings = in_children(
      kRuns, [&](std::size_t run) { return hash_of(run_world(plan_with_libtorch(made), {.outages = {draw(run)}})); });
  int same = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    INFO("run " << run << ": " << draw(run).host << " off at " << draw(run).from.count());
    CHECK(endings[run] == hash);
    same += endings[run] == hash ? 1 : 0;
  }
  std::cout << same << " of " << kRuns << " runs with LibTorch end the same" << std::endl;
}

}  // namespace dipaco::testing
