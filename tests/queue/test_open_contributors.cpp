// Which of a worker's tasks goes out first: that whose modules wait for the fewest others.

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "core/model/topology.hpp"
#include "core/queue/dispatch.hpp"
#include "core/queue/open_contributors.hpp"
#include "tests/queue/scheduled_paths.hpp"
#include "tests/queue/sites.hpp"

namespace dipaco::testing {
namespace {

using Numbers = std::vector<std::int32_t>;

/// 2x2: path p goes through expert p / 2 of the first level and p % 2 of the second.
Topology two_by_two() { return {{{.experts = 2}, {.experts = 2}}, {0, 0, 0, 1, 1, 0, 1, 1}}; }

PathTable four_paths() {
  return PathTable(4, [](PathId /*path*/, OuterStep step) { return step; });
}

}  // namespace

TEST_CASE("of a module those contributors are open whose task of the outer step nobody has", "[queue]") {
  const Topology topology = two_by_two();
  PathTable paths = four_paths();
  for (int p = 0; p < 4; ++p) paths.at(PathId{p}).phase = PathEntry::Phase::queued;
  CHECK(OpenContributors(topology, paths).of(PathId{0}) == Numbers{2, 2});
  paths.run_on(PathId{1}, NodeId{7}, {}, Seconds(0));
  CHECK(OpenContributors(topology, paths).of(PathId{0}) == Numbers{1, 2});
  CHECK(OpenContributors(topology, paths).of(PathId{2}) == Numbers{2, 2});
  CHECK(OpenContributors(topology, paths).of(PathId{3}) == Numbers{1, 2});
  paths.committed(PathId{1}, kEast, Seconds(1));  // at the next outer step, and waits
  CHECK(OpenContributors(topology, paths).of(PathId{0}) == Numbers{1, 2});
  CHECK(OpenContributors(topology, paths).of(PathId{1}) == Numbers{2, 2});  // of the next outer step
  paths.at(PathId{2}).phase = PathEntry::Phase::in_question;
  CHECK(OpenContributors(topology, paths).of(PathId{0}) == Numbers{1, 1});
}

TEST_CASE("a module is counted once at a moment", "[queue]") {
  const Topology topology = two_by_two();
  PathTable paths = four_paths();
  OpenContributors open(topology, paths);
  CHECK(open.of(PathId{0}) == Numbers{2, 2});
  paths.run_on(PathId{1}, NodeId{7}, {}, Seconds(0));
  CHECK(open.of(PathId{0}) == Numbers{2, 2});  // of the moment before
}

TEST_CASE("in rounds a worker's next task is the one whose modules wait for the fewest others, if anybody may wait",
          "[queue]") {
  const Topology topology = two_by_two();
  PathTable paths = four_paths();
  for (const int p : {0, 2, 3}) {
    paths.at(PathId{p}).phase = PathEntry::Phase::queued;
    paths.at(PathId{p}).site = kEast;
    paths.at(PathId{p}).attempt.worker = NodeId{p == 0 ? 9 : 7};
  }
  paths.run_on(PathId{1}, NodeId{8}, {}, Seconds(0));
  Dispatch dispatch;
  const bool scheduled = GENERATE(true, false);
  if (scheduled) dispatch.plan_by(std::make_shared<EarliestFinish>(), in_rounds());
  dispatch.worker_up(NodeId{7}, kEast, 1);
  dispatch.worker_up(NodeId{8}, kWest, 1, false);
  for (const int p : {0, 2, 3}) dispatch.put_in(PathId{p}, paths.at(PathId{p}));
  OpenContributors open(topology, paths);
  const auto next = dispatch.next(
      paths, [](PathId /*path*/) { return true; }, Seconds(0), &open);
  REQUIRE(next);
  CHECK(next->worker == NodeId{7});
  // Both modules of path 2 wait for two paths; the second one of path 3 for none but itself.
  CHECK(next->path == (scheduled ? PathId{3} : PathId{2}));
}

}  // namespace dipaco::testing
