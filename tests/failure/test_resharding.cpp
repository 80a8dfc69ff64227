// A re-sharding goes on where it was, however often whoever leads it is lost.

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// Sixteen paths and one re-sharding, after the first outer step; no other evaluations but of the results.
RunPlan resharded_once(MadeUpRun& made) {
  made.config.outer.steps = 3;
  made.config.inner.steps = 4;
  made.config.evaluate.every = 0;
  made.config.run.replicas = 2;
  made.config.routing.reshard_at = "1";
  made.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
  return made.plan();
}

/// The coordinator is there for 0.2 s, away for 0.1 s, and so on until the first has ended for sure.
std::vector<HostOutage> often_away() {
  std::vector<HostOutage> outages;
  for (int k = 0; k < 100; ++k) outages.push_back({"h0", Seconds(0.3 * k + 0.2), Seconds(0.3 * k + 0.3)});
  return outages;
}

struct Scored {
  Seconds first{-1};  ///< when the first path was scored
  Seconds last{};
  int twice = 0;  ///< paths that were scored once more
};

Scored scores_of(const std::vector<Event>& events) {
  Scored scored;
  std::set<PathId> paths;
  for (const Event& event : events) {
    if (event.kind != EventKind::evaluation_done || event.version != 1) continue;
    if (paths.empty()) scored.first = event.time;
    scored.last = event.time;
    if (!paths.insert(event.path).second) ++scored.twice;
  }
  return scored;
}

}  // namespace

TEST_CASE("a coordinator that is lost again and again has no path scored twice but for answers that were on their way",
          "[failure]") {
  MadeUpRun made("4x4", "blocks:0");
  const RunPlan plan = resharded_once(made);
  const WorldOptions disturbed{.outages = often_away()};
  CHECK(world_hash(plan, disturbed) == world_hash(plan, {}));
  CHECK(in_child([&] {
          const Scored scored = scores_of(run_world(plan, disturbed).simulated.events);
          const int losses = static_cast<int>((scored.last - scored.first) / Seconds(0.3)) + 1;
          constexpr int kWorkers = 3;  // each may have one answer on its way
          return std::string(losses > 1 ? "lost in between" : "never lost") +
                 (scored.twice <= losses * kWorkers ? "" : ", " + std::to_string(scored.twice) + " scored twice");
        }) == "lost in between");
}

}  // namespace dipaco::testing
