#include <catch2/catch.hpp>

#include "core/coordinator/gradient_doubts.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr int kExecutor = 1;
constexpr int kStore = 2;
constexpr int kOtherStore = 3;
constexpr int kSender = 5;
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

  /// The worker of the task is there.
  void sender_up() {
    known.add(kSender, Role::worker);
    known.run.queue.path(kPath).attempt.worker = NodeId{kSender};
  }
  std::vector<std::pair<NodeId, GradientDoubted>> asked_of_sender() {
    doubts.mend();
    return known.transport.take<GradientDoubted>();
  }
  /// The module's owner says that contributions of the path's tasks before this outer step are settled.
  void settled(ModuleId module, OuterStep before) {
    known.run.queue.module_ready(module, Version{static_cast<std::int32_t>(before)}, {{kPath, before}}, Seconds(0));
    doubts.settled(module, kPath);
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
  world.doubts.committed(kPath, world.told(), {.last = true, .running = true});
  CHECK(world.mended().empty());
}

TEST_CASE("a commit by another attempt than the last has all its outer gradients made again, once", "[coordinator]") {
  OneCommit world;
  world.doubts.committed(kPath, world.told(), {});
  const auto asked = world.mended();
  REQUIRE(asked.size() == 2);  // a module of each level
  CHECK(asked[0].first == NodeId{kExecutor});
  CHECK(asked[0].second.task == TaskId{kPath, OuterStep{0}});
  CHECK(asked[0].second.store == NodeId{kStore});
  CHECK(asked[0].second.base == Version{0});
  CHECK(world.mended().empty());
}

TEST_CASE("a commit by the last attempt, which was in question, leaves what its worker may not have sent in doubt",
          "[coordinator]") {
  OneCommit world;
  SECTION("a worker that is there is asked") {
    world.sender_up();
    world.doubts.committed(kPath, world.told(), {.last = true});
    CHECK(world.asked_of_sender().size() == 2);
    CHECK(world.mended().empty());
  }
  SECTION("what one that is gone had to send is made again") {
    world.doubts.committed(kPath, world.told(), {.last = true});
    CHECK(world.mended().size() == 2);
  }
}

TEST_CASE("only what went to an owner that is none any more is in doubt", "[coordinator]") {
  OneCommit world;
  std::vector<Epoch> told = world.told();
  told[1] = 0;
  world.doubts.committed(kPath, told, {.last = true, .running = true});
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

TEST_CASE("who should have sent an outer gradient is asked for it, and only what it has not sent is made again",
          "[coordinator]") {
  OneCommit world;
  world.sender_up();
  world.doubts.doubt_missing(kPath);
  const auto asked = world.asked_of_sender();
  REQUIRE(asked.size() == 2);
  const Owner owner = world.known.run.owners_of(kPath)[1];
  CHECK(asked[1].first == NodeId{kSender});
  CHECK(asked[1].second.module == owner.module);
  CHECK(asked[1].second.task == TaskId{kPath, OuterStep{0}});
  CHECK(asked[1].second.epoch == owner.epoch);
  CHECK(world.mended().empty());
  world.doubts.undelivered(NodeId{kSender}, {.module = owner.module, .task = {kPath, OuterStep{0}}});
  const auto made_again = world.mended();
  REQUIRE(made_again.size() == 1);
  CHECK(made_again[0].second.module == owner.module);
  CHECK(world.asked_of_sender().empty());
}

TEST_CASE("what a worker had sent that is lost now is made again, unless it is settled", "[coordinator]") {
  OneCommit world;
  world.sender_up();
  world.doubts.doubt_missing(kPath);
  CHECK(world.asked_of_sender().size() == 2);
  const std::vector<Owner> owners = world.known.run.owners_of(kPath);
  world.settled(owners[0].module, OuterStep{1});
  world.known.run.members.remove(NodeId{kSender});
  world.doubts.worker_lost(NodeId{kSender});
  const auto made_again = world.mended();
  REQUIRE(made_again.size() == 1);
  CHECK(made_again[0].second.module == owners[1].module);
}

TEST_CASE("what an executor makes from a store that is lost it makes from another, and nothing else is in doubt",
          "[coordinator]") {
  OneCommit world;
  world.doubts.doubt_missing(kPath);
  CHECK(world.mended().size() == 2);  // its worker is not there
  world.known.add(kOtherStore, Role::store);
  world.known.run.holders.add(kPath, 1, 0, NodeId{kOtherStore});
  world.settled(world.known.run.owners_of(kPath)[0].module, OuterStep{1});
  world.known.run.holders.gone(NodeId{kStore});
  world.doubts.store_lost(NodeId{kStore});
  const auto again = world.mended();
  REQUIRE(again.size() == 1);
  CHECK(again[0].second.store == NodeId{kOtherStore});
  world.doubts.store_lost(NodeId{kStore});
  CHECK(world.mended().empty());
}

TEST_CASE("an owner that says again what is settled of earlier tasks ends no doubt of the newest", "[coordinator]") {
  OneCommit world;
  world.doubts.doubt_missing(kPath);
  CHECK(world.mended().size() == 2);
  for (const Owner& owner : world.known.run.owners_of(kPath)) world.settled(owner.module, OuterStep{0});
  world.known.add(kOtherStore, Role::store);
  world.known.run.holders.add(kPath, 1, 0, NodeId{kOtherStore});
  world.known.run.holders.gone(NodeId{kStore});
  world.doubts.store_lost(NodeId{kStore});
  CHECK(world.mended().size() == 2);
}

TEST_CASE(
    "a coordinator that begins anew waits for the workers that its journal names before it has their work repeated",
    "[coordinator]") {
  OneCommit world;
  world.known.run.queue.path(kPath).attempt.worker = NodeId{kSender};
  world.doubts.restored(kPath);
  CHECK(world.mended().empty());
  CHECK(world.doubts.due() == world.known.run.awaited.until());
  SECTION("one that comes is asked") {
    world.sender_up();
    world.doubts.worker_up(NodeId{kSender});
    CHECK(world.asked_of_sender().size() == 2);
    CHECK(world.mended().empty());
  }
  SECTION("one that does not come in time is lost") {
    world.known.clock.time = world.known.run.awaited.until();
    CHECK(world.mended().size() == 2);
  }
  CHECK(!world.doubts.due());
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
  world.doubts.worker_lost(NodeId{6});
  CHECK(world.mended().empty());
  world.doubts.worker_lost(NodeId{5});
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
