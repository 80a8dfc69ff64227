// Whether a task's state or what it gives crosses to another site.

#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "tests/queue/scheduled_paths.hpp"

namespace dipaco::testing {

TEST_CASE("of equal workers, too, those of other sites leave a path's state where it is", "[queue]") {
  ScheduledPaths run(3);
  run.up(10, 10, kEast);
  run.up(20, 10, kWest);
  run.up(21, 10, kWest);
  for (const auto& [path, site] : {std::pair(0, kEast), std::pair(1, kWest), std::pair(2, kWest)}) {
    run.at(path).site = site;
  }
  run.queue(1);
  run.queue(2);
  CHECK(run.out(0) == Pairs{{1, 20}, {2, 21}});
  run.done(1, 20, kWest);
  run.queue(1);
  run.dispatch.take(NodeId{20});  // for an evaluation
  CHECK(run.out(10).empty());     // the east's would have to fetch the state
  run.dispatch.worker_free(NodeId{20});
  CHECK(run.out(11) == Pairs{{1, 20}});
}

TEST_CASE("a path's state leaves its site only where too few workers are", "[queue]") {
  ScheduledPaths run(4);
  run.up(10, 10, kEast);
  run.up(20, 30, kWest);
  run.queue_all();
  CHECK(run.out(0) == Pairs{{0, 10}, {1, 20}});
  run.done(0, 10, kEast);
  CHECK(run.out(10) == Pairs{{2, 10}});
  run.done(2, 10, kEast);
  CHECK(run.out(20) == Pairs{{3, 10}});
  run.done(3, 10, kEast);
  run.done(1, 20, kWest);
  // The next outer step: three states are in the east, one is in the west, and so are its tasks, in whatever order
  // they are queued.
  for (const int path : {0, 2, 3}) run.queue(path);
  CHECK(run.out(30) == Pairs{{0, 10}});
  run.queue(1);
  CHECK(run.out(30) == Pairs{{1, 20}});
  // The east has another worker now: it needs nobody of the west, who may take nothing of it.
  run.up(11, 10, kEast);
  CHECK(run.out(30) == Pairs{{2, 11}});
  // Both of the east are lost: what is left goes west.
  run.dispatch.worker_gone(NodeId{10});
  run.dispatch.worker_gone(NodeId{11});
  run.done(1, 20, kWest);
  CHECK(run.out(60) == Pairs{{3, 20}});
}

TEST_CASE("a path's state stays where its move would take longer than its site does", "[queue]") {
  ScheduledPaths run(3);
  run.up(10, 10, kEast);
  run.up(20, 5, kWest);
  for (const int path : {0, 1, 2}) run.at(path).site = kEast;
  run.dispatch.reserve().ways().way_takes(kEast, kWest, 0.021);  // 21 s for a state of 1,000 bytes
  run.queue_all();
  // In the west the third path would be done at 26 s, in the east at 30 s; the other two stay.
  CHECK(run.out(0) == Pairs{{0, 10}, {1, 20}});
  CHECK(run.out(5).empty());
  run.done(0, 10, kEast);
  CHECK(run.out(10) == Pairs{{2, 10}});
}

TEST_CASE("a fast worker waits where what it gives would be late, and what is known of lines says so at the start",
          "[queue]") {
  ScheduledPaths run(4);
  auto lines = std::make_shared<LineTable>();
  lines->pairs = {{{kEast, kWest}, 100}, {{kWest, kEast}, 10}};
  ExchangeTimes& exchange = run.dispatch.reserve().ways().exchange();
  exchange.known_are(lines);
  exchange.module_is({0, 0}, {.share = 1, .gradient = {Bytes{210}}, .version = {Bytes{1000}, Bytes{1000}}});
  run.dispatch.reserve().ways().exchange().owned_at({0, 0}, kEast);
  run.up(10, 10, kEast);
  run.up(20, 10, kWest);
  run.queue_all();
  // The west's task would be done at 10 s, its outer gradient in the east at 31, and in outer steps to come it waits
  // 10 s for the version: the east alone does all four by 40 s.
  CHECK(run.out(0) == Pairs{{0, 10}});
  const auto held = run.held_back(0);
  REQUIRE(held.size() == 1);
  CHECK(held[0].worker == NodeId{20});
  CHECK(held[0].task.count() == Approx(41));
  // With another owner it is the other way round.
  run.dispatch.reserve().ways().exchange().owned_at({0, 0}, kWest);
  CHECK(run.out(0) == Pairs{{1, 20}});
}

TEST_CASE("a state's move takes what is known of the line, until it was measured", "[queue]") {
  ScheduledPaths run(3);
  auto lines = std::make_shared<LineTable>();
  lines->pairs = {{{kEast, kWest}, 40}, {{kWest, kEast}, 40}};  // 25 s for a state of 1,000 bytes
  run.dispatch.reserve().ways().exchange().known_are(lines);
  run.up(10, 10, kEast);
  run.up(20, 5, kWest);
  for (const int path : {0, 1, 2}) run.at(path).site = kEast;
  run.queue_all();
  CHECK(run.out(0) == Pairs{{0, 10}});  // all are done at 30 s without a move
  run.dispatch.reserve().ways().way_takes(kEast, kWest, 0.001);
  CHECK(run.out(0) == Pairs{{1, 20}});
}

}  // namespace dipaco::testing
