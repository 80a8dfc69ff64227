#include <catch2/catch.hpp>

#include "core/coordinator/gradient_doubts.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr int kExecutor = 1;
constexpr int kStore = 2;
constexpr PathId kPath{0};

/// Path 0 of two levels with two modules each has committed its first task; an executor owns all modules.
struct OneCommit {
  OneCommit() {
    known.own_all(kExecutor);
    known.add(kStore, Role::store);
    known.run.queue.path(kPath).base = known.run.queue.modules().newest(kPath);
    known.run.queue.committed(kPath, 1, SiteId{0}, Seconds(0));
    known.run.holders.add(kPath, 1, 0, NodeId{kStore});
  }
  /// What the attempt was told of the owner of each level.
  std::vector<Epoch> told() const {
    std::vector<Epoch> epochs;
    for (const Owner& owner : known.run.owners_of(kPath)) epochs.push_back(owner.epoch);
    return epochs;
  }
  std::vector<std::pair<NodeId, GradientsLost>> mended() {
    doubts.mend();
    return known.transport.take<GradientsLost>();
  }

  MadeUpRun made{"2x2"};
  KnownRun known{made};
  OuterGradientDoubts doubts{known.run};
};

}  // namespace

TEST_CASE("a commit by the running attempt, with the owners that there are, leaves no doubt", "[coordinator]") {
  OneCommit world;
  world.doubts.committed(kPath, world.told(), true);
  CHECK(world.mended().empty());
}

TEST_CASE("a commit by an attempt that does not run has all its outer gradients made again, once", "[coordinator]") {
  OneCommit world;
  world.doubts.committed(kPath, world.told(), false);
  const auto asked = world.mended();
  REQUIRE(asked.size() == 2);  // a module of each level
  CHECK(asked[0].first == NodeId{kExecutor});
  CHECK(asked[0].second.task == TaskId{kPath, 0});
  CHECK(asked[0].second.store == NodeId{kStore});
  CHECK(asked[0].second.base == Version{0});
  CHECK(world.mended().empty());
}

TEST_CASE("only what went to an owner that is none any more is in doubt", "[coordinator]") {
  OneCommit world;
  std::vector<Epoch> told = world.told();
  told[1] = 0;
  world.doubts.committed(kPath, told, true);
  const auto asked = world.mended();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].second.module == world.known.plan.topology.module(kPath, 1));
}

TEST_CASE("a doubt waits until a store has the path's state", "[coordinator]") {
  OneCommit world;
  world.known.run.holders.gone(NodeId{kStore});
  world.doubts.doubt_missing(kPath);
  CHECK(world.mended().empty());
  world.known.run.holders.add(kPath, 1, 0, NodeId{kStore});
  CHECK(world.mended().size() == 2);
}

TEST_CASE("a doubt ends once the contribution is settled", "[coordinator]") {
  OneCommit world;
  world.doubts.doubt_missing(kPath);
  for (const Owner& owner : world.known.run.owners_of(kPath)) {
    world.known.run.queue.module_ready(owner.module, Version{1}, {{kPath, 1}}, Seconds(0));
  }
  CHECK(world.mended().empty());
}

}  // namespace dipaco::testing
