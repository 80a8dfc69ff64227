#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/queue/scheduled_paths.hpp"

namespace dipaco::testing {
namespace {

/// Counts how often it is asked.
struct CountedSchedule : EarliestFinish {
  Seconds all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks,
                      const StateMoves& moves) const override {
    ++asked;
    return EarliestFinish::all_done_at(workers, tasks, moves);
  }
  mutable int asked = 0;
};

}  // namespace

TEST_CASE("a slow worker waits where the fast ones end the outer step sooner", "[queue]") {
  ScheduledPaths run(3);
  run.up(10, 10);
  run.up(11, 25);
  run.up(12, 40);
  run.queue_all();
  // Three tasks: two for the first, one for the second, all done at 25 s. The third would need until 40 s.
  CHECK(run.out(0) == Pairs{{0, 10}, {1, 11}});
  run.done(0, 10);
  CHECK(run.out(10) == Pairs{{2, 10}});
}

TEST_CASE("who waits since the outer step would end later is told with the reason", "[queue]") {
  ScheduledPaths run(3);
  for (const auto& [node, task] : {std::pair(10, 10.0), std::pair(11, 25.0), std::pair(12, 40.0)}) run.up(node, task);
  CHECK(run.held_back(0).empty());  // nothing is to be done
  run.queue_all();
  run.out(0);
  const auto held = run.held_back(5);
  REQUIRE(held.size() == 1);
  CHECK(held[0].worker == NodeId{12});
  CHECK(held[0].task.count() == Approx(40));
  CHECK(held[0].left.count() == Approx(15));  // the first worker is done with the last task at 20 s
  run.done(0, 10);
  run.out(10);
  CHECK(run.held_back(10).empty());  // nobody waits for the sake of a task
}

TEST_CASE("while nothing changes nothing is asked, however many tasks and free workers wait", "[queue]") {
  ScheduledPaths run(1000);
  const auto schedule = std::make_shared<CountedSchedule>();
  run.dispatch.plan_by(schedule, {.inner_step = 1, .lengths = TaskLengths(10)});
  run.up(10, 10);
  for (int node = 11; node < 111; ++node) run.up(node, 1e6);
  run.queue_all();
  for (int task = 0; task < 5; ++task) {
    const double now = 10 * task;
    run.asked = schedule->asked = 0;
    CHECK(run.out(now) == Pairs{{task, 10}});
    CHECK(run.asked <= 2);
    CHECK(schedule->asked == 1);
    for (int later = 1; later < 10; ++later) CHECK(run.out(now + later).empty());
    CHECK(run.asked <= 2);
    CHECK(schedule->asked == 1);
    run.done(task, 10);
  }
}

TEST_CASE("equal workers, and all of them where nothing is known of any, take what there is", "[queue]") {
  for (const double speed : {1.0, 0.0}) {
    ScheduledPaths run(3);
    for (const int node : {10, 11, 12}) run.dispatch.worker_up(NodeId{node}, kEast, speed);
    run.queue_all();
    CHECK(run.out(0).size() == 3);
  }
}

TEST_CASE("a worker of which nothing is known yet is tried", "[queue]") {
  ScheduledPaths run(3);
  run.up(10, 10);
  run.up(11, 40);
  run.dispatch.worker_up(NodeId{12}, kEast, 0);
  run.queue_all();
  CHECK(run.out(0) == Pairs{{0, 10}, {1, 12}});
}

TEST_CASE("a worker in reserve takes over when a fast one is lost, or becomes slower", "[queue]") {
  const bool lost = GENERATE(true, false);
  ScheduledPaths run(2);
  run.up(10, 10);
  run.up(11, 11);
  run.up(12, 40);
  run.queue(0);
  run.queue(1);
  CHECK(run.out(0) == Pairs{{0, 10}, {1, 11}});
  run.at(1).phase = PathEntry::Phase::in_question;
  lost ? run.dispatch.worker_gone(NodeId{11}) : run.dispatch.speed_is(NodeId{11}, 0.1);
  run.queue(1);
  // The first is free after 10 s and done with it after 20 s.
  CHECK(run.out(1).empty());
  lost ? run.dispatch.worker_gone(NodeId{10}) : run.dispatch.speed_is(NodeId{10}, 0.1);
  CHECK(run.out(2) == Pairs{{1, 12}});
}

TEST_CASE("who is late will need as long again, so that nobody waits for ever for one that hangs", "[queue]") {
  ScheduledPaths run(2);
  run.up(10, 10);
  run.up(11, 35);
  run.queue_all();
  CHECK(run.out(0) == Pairs{{0, 10}});  // and the other at 10 s
  CHECK(run.dispatch.looks_again_at(Seconds(0)) == Seconds(10.5));
  CHECK(run.out(10.5).empty());
  double now = 10.5;
  Pairs given;
  for (int looks = 0; given.empty() && looks < 20; ++looks) {
    now = run.dispatch.looks_again_at(Seconds(now))->count();
    given = run.out(now);
  }
  CHECK(given == Pairs{{1, 11}});
  CHECK(now > 35);  // late by 25 s, and 10 s more for the task
  CHECK(now < 70);
  CHECK(run.dispatch.looks_again_at(Seconds(now)) == std::nullopt);
}

TEST_CASE("a part of a task that is left goes to whoever ends it in time", "[queue]") {
  ScheduledPaths run(1);
  run.up(10, 10);
  run.up(11, 40);
  run.queue(0);
  CHECK(run.out(0) == Pairs{{0, 10}});
  ScheduledPaths rest(2);
  rest.up(10, 10);
  rest.up(11, 40);
  rest.at(1).inner_steps = 8;
  rest.queue_all();
  CHECK(rest.out(0) == Pairs{{0, 10}, {1, 11}});  // 8 s for what is left, and all is done at 20 s
}

TEST_CASE("a worker that is too slow for an outer step's tasks takes one of a path that is ahead", "[queue]") {
  ScheduledPaths run(4);
  run.up(10, 10, kEast);
  run.up(11, 34, kEast);
  run.up(20, 10, kWest);
  run.at(0).site = kEast;
  for (const int path : {1, 2, 3}) run.at(path).site = kWest;
  for (const auto& [from, to] : {std::pair(kEast, kWest), std::pair(kWest, kEast)}) {
    run.dispatch.reserve().ways().way_takes(from, to, 0.021);  // 21 s for a state
  }
  run.queue_all();
  CHECK(run.out(0) == Pairs{{0, 10}, {1, 20}});
  run.done(0, 10, kEast);
  run.done(1, 20, kWest);
  run.queue(0);  // its next task; the other two of the first outer step are the west's
  CHECK(run.out(10) == Pairs{{2, 20}, {0, 10}});
  run.done(0, 10, kEast);
  run.queue(0);
  run.dispatch.worker_gone(NodeId{10});
  // The west ends the first outer step at 30 s, and would have done the third one's task of the east at 61 s.
  CHECK(run.out(20) == Pairs{{0, 11}});
  CHECK(run.at(3).phase == PathEntry::Phase::queued);
}

TEST_CASE("a task of an earlier outer step goes before one of the worker's own paths, unless its state would move",
          "[queue]") {
  ScheduledPaths run(3);
  run.up(10, 10, kEast);
  run.at(0).site = run.at(1).site = kEast;
  run.at(2).site = kWest;
  run.up(20, 20, kEast);  // slower, so that it matters who takes what; busy
  run.dispatch.take(NodeId{20});
  run.queue_all();
  CHECK(run.out(0) == Pairs{{0, 10}});
  run.done(0, 10, kEast);
  run.queue(0);
  CHECK(run.out(10) == Pairs{{1, 10}});
  run.done(1, 10, kEast);
  run.queue(1);
  CHECK(run.out(20) == Pairs{{0, 10}});  // path 2's state would have to come from the west
}

}  // namespace dipaco::testing
