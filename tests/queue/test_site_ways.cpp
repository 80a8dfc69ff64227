#include <catch2/catch.hpp>
#include <memory>

#include "core/queue/site_ways.hpp"
#include "tests/queue/sites.hpp"

namespace dipaco::testing {
namespace {

/// A worker at each site whose tasks take 10 s, lines of 10 bytes a second, and a module of the east.
struct TwoSites {
  explicit TwoSites(std::uint64_t gradient) {
    fleet.cost_is({.inner_step = 1, .lengths = TaskLengths(10)});
    fleet.up(NodeId{10}, kEast, 1, true);
    fleet.up(NodeId{20}, kWest, 1, true);
    ways.state_is(Bytes{1000});
    ways.exchange().module_is({0, 0}, {.share = 1, .gradient = {Bytes{gradient}, Bytes{gradient}}});
    ways.exchange().owned_at({0, 0}, kEast);
  }
  void know_lines() {
    auto lines = std::make_shared<LineTable>();
    lines->pairs = {{{kEast, kWest}, 10}, {{kWest, kEast}, 10}};
    ways.exchange().known_are(lines);
  }
  void look() { ways.look(fleet, 4); }

  Fleet fleet;
  SiteWays ways;
};

}  // namespace

TEST_CASE("an exchange matters where it takes more than noise beside a task", "[queue]") {
  TwoSites run(6);
  run.look();
  CHECK_FALSE(run.ways.exchange_matters());  // nothing is known of lines
  run.know_lines();
  run.look();
  CHECK(run.ways.exchange_matters());  // 0.6 s, and a twentieth of a task is 0.5
  CHECK(run.ways.after(kWest, 1, true).count() == Approx(0.6));
  CHECK(run.ways.after(kEast, 1, true) == Seconds(0));
  TwoSites short_way(4);
  short_way.know_lines();
  short_way.look();
  CHECK_FALSE(short_way.ways.exchange_matters());
  CHECK(short_way.ways.after(kWest, 1, true) == Seconds(0));
  // Another owner, or a line that turned out slower, is seen at the next look.
  short_way.ways.way_takes(kWest, kEast, 1);
  short_way.look();
  CHECK(short_way.ways.after(kWest, 1, true) == Seconds(4));
}

TEST_CASE("a state's move takes what is known of its line, and then what was measured", "[queue]") {
  TwoSites run(0);
  PathEntry path;
  path.site = kEast;
  CHECK(run.ways.moves().of(path, kWest) == Seconds(0));
  run.know_lines();
  run.look();
  CHECK(run.ways.moves().of(path, kWest) == Seconds(100));
  CHECK(run.ways.way_takes(kEast, kWest, 0.2));
  CHECK_FALSE(run.ways.way_takes(kEast, kWest, 0.201));
  run.look();
  CHECK(run.ways.moves().of(path, kWest) == Seconds(200));
}

TEST_CASE("a move from a site without workers takes what is known of its line, too", "[queue]") {
  TwoSites run(0);
  auto lines = std::make_shared<LineTable>();
  lines->pairs = {{{kNorth, kEast}, 100}, {{kNorth, kWest}, 10}};
  run.ways.exchange().known_are(lines);
  run.look();
  PathEntry path;
  path.site = kNorth;
  CHECK(run.ways.moves().of(path, kWest) == Seconds(0));
  run.ways.states_at(kNorth);
  CHECK(run.ways.moves().of(path, kEast) == Seconds(10));
  CHECK(run.ways.moves().of(path, kWest) == Seconds(100));
}

TEST_CASE("a way of which nothing is known counts like the slowest out of the one site or into the other", "[queue]") {
  MoveTimes moves;
  moves.state_is(Bytes{1000});
  PathEntry path;
  path.site = kEast;
  CHECK(moves.way_takes(kEast, kWest, 0.1));
  CHECK(moves.of(path, kNorth) == Seconds(0));
  CHECK(moves.way_takes(kWest, kNorth, 0.02));
  CHECK(moves.of(path, kNorth) == Seconds(100));  // like its way to the west
  CHECK(moves.way_takes(kEast, kNorth, 0.01));
  CHECK(moves.of(path, kNorth) == Seconds(10));
  path.site = kNorth;
  CHECK(moves.of(path, kWest) == Seconds(100));  // like the east's way there
  CHECK(moves.way_takes(kEast, kWest, 0.05));
  CHECK(moves.of(path, kWest) == Seconds(50));
  CHECK(moves.of(path, kNorth) == Seconds(0));
}

TEST_CASE("states come to a site one after the other, until their tasks have ended", "[queue]") {
  ComingStates coming;
  const Seconds now(5);
  CHECK(coming.free_at(kEast, now) == now);
  coming.begins(NodeId{10}, kEast, Seconds(20), now);
  CHECK(coming.free_at(kEast, now) == Seconds(25));
  coming.begins(NodeId{11}, kEast, Seconds(20), Seconds(10));
  CHECK(coming.free_at(kEast, Seconds(10)) == Seconds(45));
  CHECK(coming.free_at(kWest, Seconds(10)) == Seconds(10));
  CHECK(coming.free_at() == std::map<SiteId, Seconds>{{kEast, Seconds(45)}});
  coming.ends(NodeId{11});
  CHECK(coming.free_at(kEast, Seconds(10)) == Seconds(25));
  CHECK(coming.free_at(kEast, Seconds(30)) == Seconds(30));  // it should be there
  coming.ends(NodeId{10});
  coming.ends(NodeId{10});
  CHECK(coming.free_at().empty());
}

}  // namespace dipaco::testing
