// What is slow is told from what is lost: by what moves.

#include <catch2/catch.hpp>

#include "tests/coordinator/begun_run.hpp"

namespace dipaco::testing {
namespace {

/// The first path's first task is at a worker since second 0, with a lease.
struct QuestionedRun {
  QuestionedRun() : world(made) {
    world.known.transport.sent.clear();
    lease = (world.tasks.late_at().value() - world.known.clock.time).count();
  }

  /// @returns whom the coordinator asks at this time how far it is
  std::vector<NodeId> look(double time) {
    world.known.clock.time = Seconds(time);
    world.tasks.look_after_late();
    std::vector<NodeId> asked;
    for (const auto& [to, message] : world.known.transport.sent) {
      if (std::holds_alternative<HowFar>(message.body)) asked.push_back(to);
      if (std::holds_alternative<QueryPath>(message.body)) questioned.push_back(to);
    }
    world.known.transport.sent.clear();
    return asked;
  }
  void answer(NodeId node, std::int64_t received, double time) {
    world.known.run.inquiries.answered(node, {.received = received}, Seconds(time));
  }
  PathEntry::Phase phase() const { return world.first().phase; }
  double limits() const { return 6 * world.known.plan.config.liveness.limit.count(); }

  MadeUpRun made{"shared:2"};
  BegunRun world;
  double lease = 0;
  std::vector<NodeId> questioned;
};

using Nodes = std::vector<NodeId>;

}  // namespace

TEST_CASE("a worker of whom an old answer says that nothing moved is asked once more before it is given up",
          "[coordinator]") {
  QuestionedRun run;
  CHECK(run.look(run.lease) == Nodes{kWorker});
  run.answer(kWorker, 3, run.lease);
  CHECK(run.look(3 * run.lease) == Nodes{kWorker});  // twice as long
  run.answer(kWorker, 3, 3 * run.lease);             // it waits: nothing has come
  const double doubted = 7 * run.lease;              // long ago, by now it may compute
  CHECK(run.look(doubted) == Nodes{kWorker});
  CHECK(run.phase() == PathEntry::Phase::running);
  SECTION("and is waited for where something has come since") {
    run.answer(kWorker, 4, doubted + 1);
    CHECK(run.look(doubted + run.lease) == Nodes{kWorker});
    CHECK(run.phase() == PathEntry::Phase::running);
    CHECK(run.questioned.empty());
    CHECK(run.look(doubted + 5 * run.lease - 1).empty());  // eight times as long as at first
  }
  SECTION("and given up where nothing has") {
    run.answer(kWorker, 3, doubted + 1);
    run.look(doubted + run.lease);
    CHECK(run.phase() == PathEntry::Phase::in_question);
  }
  SECTION("and given up where it is silent") {
    run.look(doubted + run.lease);
    CHECK(run.phase() == PathEntry::Phase::in_question);
  }
}

TEST_CASE("a store that does not answer is asked once more, and as long as its messages wait for their turn",
          "[coordinator]") {
  QuestionedRun run;
  run.world.known.run.members.remove(kWorker);
  run.world.tasks.worker_lost(kWorker);
  REQUIRE(run.phase() == PathEntry::Phase::in_question);
  run.look(1);
  const Nodes store = run.questioned;
  REQUIRE(store.size() == 1);
  run.look(run.limits() - 1);
  CHECK(run.questioned.size() == 1);
  run.look(run.limits());
  CHECK(run.questioned == Nodes{store[0], store[0]});
  CHECK(run.phase() == PathEntry::Phase::in_question);
  SECTION("its answer ends it") {
    run.world.tasks.answer(store[0], {.path = kFirst, .outer_step = OuterStep{0}, .epoch = 2});
    CHECK(run.phase() == PathEntry::Phase::queued);
  }
  SECTION("and so does silence") {
    run.look(2 * run.limits());
    CHECK(run.phase() == PathEntry::Phase::queued);
  }
  SECTION("but not on a thin line") {
    run.world.known.transport.motion.in_turns = {NodeId{99}, store[0]};
    for (int k = 2; k < 5; ++k) run.look(k * run.limits());
    CHECK(run.questioned.size() == 5);
    CHECK(run.phase() == PathEntry::Phase::in_question);
    run.world.known.transport.motion.in_turns.clear();
    run.look(5 * run.limits());
    CHECK(run.phase() == PathEntry::Phase::queued);
  }
}

}  // namespace dipaco::testing
