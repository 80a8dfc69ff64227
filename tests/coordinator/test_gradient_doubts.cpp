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

/// The same, as an executor that is asked answers it where gradients are exchanged.
struct OneExchange : OneCommit {
  Owner owner(std::size_t level) const { return known.run.owners_of(kPath)[level]; }
  void lacks(std::size_t level) {
    doubts.undelivered(NodeId{kExecutor}, {.module = owner(level).module, .task = {kPath, OuterStep{0}}});
  }
  /// Worker 5 has made it again.
  void made(std::size_t level) {
    known.run.lost_gradients.made(NodeId{5}, {.task = {kPath, OuterStep{0}}, .sent_to = {owner(level)}});
  }
  void settle(std::size_t level) {
    known.run.queue.module_ready(owner(level).module, Version{1}, {{kPath, OuterStep{1}}}, Seconds(0));
  }
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
  CHECK(asked[0].second.task == TaskId{kPath, OuterStep{0}});
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
    world.known.run.queue.module_ready(owner.module, Version{1}, {{kPath, OuterStep{1}}}, Seconds(0));
  }
  CHECK(world.mended().empty());
}

TEST_CASE("where gradients are exchanged, workers make again what executors lack, until it is settled",
          "[coordinator]") {
  OneExchange world;
  const Job job = gradients_of({kPath, OuterStep{0}});
  CHECK(job.version == 1);
  JobList& jobs = world.known.run.jobs;
  world.lacks(0);
  world.lacks(1);
  world.doubts.mend();
  CHECK(jobs.waiting() == std::set<Job>{job});
  jobs.give(NodeId{5}, {.job = job, .lasting = Seconds(9)}, Seconds(0));
  world.doubts.mend();
  CHECK(jobs.waiting().empty());
  jobs.done(job);
  world.made(0);
  world.doubts.mend();
  CHECK(jobs.waiting() == std::set<Job>{job});  // of the second module
  world.settle(1);
  world.doubts.mend();
  CHECK(jobs.waiting().empty());
  world.settle(0);
  world.doubts.mend();
  CHECK(world.known.run.lost_gradients.all().empty());
}

TEST_CASE("an executor is asked again what it lacks once the worker that made it is lost", "[coordinator]") {
  OneExchange world;
  world.lacks(0);
  world.made(0);
  CHECK(world.mended().empty());
  CHECK(world.known.run.jobs.empty());
  world.doubts.maker_lost(NodeId{6});
  CHECK(world.mended().empty());
  world.doubts.maker_lost(NodeId{5});
  const auto asked = world.mended();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].second.module == world.owner(0).module);
}

TEST_CASE("only what the path's newest task gave, and is not settled, is made again", "[coordinator]") {
  OneExchange world;
  world.doubts.undelivered(NodeId{kExecutor}, {.module = world.owner(1).module, .task = {kPath, OuterStep{1}}});
  world.doubts.mend();
  CHECK(world.known.run.jobs.empty());
  world.settle(0);
  world.lacks(0);
  world.doubts.mend();
  CHECK(world.known.run.jobs.empty());
}

TEST_CASE("an executor is asked what a worker could not send", "[coordinator]") {
  OneExchange world;
  world.doubts.undelivered(NodeId{5}, {.module = world.owner(1).module, .task = {kPath, OuterStep{0}}});
  const auto asked = world.mended();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].second.module == world.owner(1).module);
  CHECK(world.known.run.jobs.empty());
}

}  // namespace dipaco::testing
