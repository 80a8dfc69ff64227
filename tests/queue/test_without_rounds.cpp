// Who takes a task where paths do not wait for each other.

#include <catch2/catch.hpp>
#include <memory>

#include "tests/queue/scheduled_paths.hpp"

namespace dipaco::testing {
namespace {

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

TEST_CASE("without rounds a path stays where its outer gradients are through when it needs the line", "[queue]") {
  TaskCost cost = without_rounds();
  cost.state = Bytes{80};
  ScheduledPaths run(2, cost);
  auto lines = std::make_shared<LineTable>();
  lines->pairs = {{{kEast, kWest}, 10}, {{kWest, kEast}, 10}};
  ExchangeTimes& exchange = run.dispatch.reserve().ways().exchange();
  exchange.known_are(lines);
  exchange.module_is({0, 0}, {.share = 1, .gradient = {Bytes{60}}});
  exchange.owned_at({0, 0}, kEast);
  run.up(10, 10, kEast);
  run.up(20, 10, kWest);
  run.dispatch.take(NodeId{10});
  run.at(0).site = run.at(1).site = kWest;
  run.queue(0);
  CHECK(run.out(0) == Pairs{{0, 20}});
  run.done(0, 20, kWest, 10);
  run.queue(1);
  run.dispatch.worker_free(NodeId{10});
  // The other path's took the line from 10 to 16 s. In the west this one is done at 30 s and there at 36 s, in the
  // east, where its state would come first, at 38 s.
  CHECK(run.out(20) == Pairs{{1, 20}});
}

}  // namespace dipaco::testing
