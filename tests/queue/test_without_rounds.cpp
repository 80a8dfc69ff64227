// Who takes a task where paths do not wait for each other.

#include <catch2/catch.hpp>

#include "tests/queue/scheduled_paths.hpp"

namespace dipaco::testing {
namespace {

TaskCost without_rounds(TaskLengths lengths = TaskLengths(10)) {
  TaskCost cost = in_rounds();
  cost.rounds = false;
  cost.lengths = lengths;
  return cost;
}

/// Workers of which one needs ten times as long an inner step as the other and more.
void up_fast_and_slow(ScheduledPaths& run) {
  run.up(10, 10);
  run.up(12, 160);
}

}  // namespace

TEST_CASE("without rounds, too, a slow worker waits where fast ones bring all paths on sooner", "[queue]") {
  ScheduledPaths run(3, without_rounds());
  up_fast_and_slow(run);
  run.queue_all();
  CHECK(run.out(0) == Pairs{{0, 10}});
  run.done(0, 10);
  run.queue(0);  // it need not wait for the others, but they are behind
  CHECK(run.out(10) == Pairs{{1, 10}});
  CHECK(run.held_back(10).size() == 1);
}

TEST_CASE("without rounds a path that is behind goes first, also where its state has to move", "[queue]") {
  const bool rounds = GENERATE(true, false);
  ScheduledPaths run(2, rounds ? in_rounds() : without_rounds());
  run.up(10, 10);
  run.up(11, 1000, kWest);
  run.at(0).site = kEast;
  run.at(1).site = kWest;
  run.queue(0);
  CHECK(run.out(0) == Pairs{{0, 10}});
  run.done(0, 10);
  run.queue(0);
  run.queue(1);
  // In rounds it is left to a worker at its site as long as that of the east has a path of its own.
  CHECK(run.out(10) == (rounds ? Pairs{{0, 10}} : Pairs{{1, 10}}));
}

TEST_CASE("a short task of a slow worker counts with the rest that a fast one has to do", "[queue]") {
  // An inner step takes the slow one 16 s, and the nine others of a whole task take the fast one 9 s.
  const int paths = GENERATE(2, 3);
  ScheduledPaths run(paths, without_rounds(TaskLengths(10, 100)));
  up_fast_and_slow(run);
  run.queue_all();
  // The fast one alone brings each of two paths on by ten inner steps in 20 s, and each of three in 30 s.
  CHECK(run.out(0) == (paths == 2 ? Pairs{{0, 10}} : Pairs{{0, 10}, {1, 12}}));
}

}  // namespace dipaco::testing
