#include <catch2/catch.hpp>

#include "tests/coordinator/begun_run.hpp"

namespace dipaco::testing {
TEST_CASE("a task is committed once the state of its running attempt is at each of its stores", "[coordinator]") {
  MadeUpRun made("2x2");
  made.config.run.replicas = 2;
  BegunRun world(made);
  REQUIRE(world.first().phase == PathEntry::Phase::running);
  REQUIRE(world.first().attempt.to_stores.size() == 2);
  world.arrives(kNear, 1);
  CHECK(world.first().version == 0);
  world.arrives(kFar, 1);
  CHECK(world.first().version == 1);
}

TEST_CASE("a lost attempt whose state comes to light while another runs counts once a module has gone on with it",
          "[coordinator]") {
  MadeUpRun made("2x2");
  made.config.run.replicas = 2;
  BegunRun world(made);
  // Nobody who answers has a state of the attempt: its task is given to another worker.
  world.known.run.members.remove(kWorker);
  world.tasks.worker_lost(kWorker);
  world.tasks.answer(kNear, {kFirst, OuterStep{0}, 2});
  world.tasks.answer(kFar, {kFirst, OuterStep{0}, 2});
  REQUIRE(world.first().phase == PathEntry::Phase::queued);
  world.join(NodeId{5});
  REQUIRE(world.first().attempt.epoch == 2);
  world.known.transport.take<Task>();
  world.arrives(kFar, 1);
  CHECK(world.first().version == 0);  // the running attempt may be done first
  const ModuleId module = world.known.plan.topology.module(kFirst, 0);
  world.known.run.queue.module_ready(module, Version{1}, {{kFirst, OuterStep{1}}}, Seconds(0));
  world.tasks.module_ready(module);
  CHECK(world.first().version == 1);
  CHECK(world.first().state_epoch == 1);
  const auto told = world.known.transport.take<Task>();  // the running attempt is void
  REQUIRE(told.size() == 1);
  CHECK(told[0].first == NodeId{5});
  CHECK(told[0].second.again);
  CHECK(told[0].second.to_stores.empty());
}

}  // namespace dipaco::testing
