#include <catch2/catch.hpp>

#include "core/coordinator/tables/awaited.hpp"

namespace dipaco::testing {

TEST_CASE("all are heard of once the run has started and nobody is awaited", "[coordinator]") {
  Awaited awaited(Seconds(6));
  awaited.begin(Seconds(10));
  CHECK_FALSE(awaited.heard_of_all(Seconds(11)));  // not started
  awaited.start();
  CHECK(awaited.heard_of_all(Seconds(11)));
  awaited.add(NodeId{3});
  CHECK(awaited.contains(NodeId{3}));
  CHECK_FALSE(awaited.heard_of_all(Seconds(11)));
  awaited.remove(NodeId{3});
  CHECK(awaited.heard_of_all(Seconds(11)));
}

TEST_CASE("who does not come is awaited so long and no longer", "[coordinator]") {
  Awaited awaited(Seconds(6));
  awaited.begin(Seconds(10));
  awaited.start();
  awaited.add(NodeId{3});
  CHECK(awaited.until() == Seconds(16));  // 10 + 6
  awaited.give_up(Seconds(15));
  CHECK_FALSE(awaited.empty());
  CHECK_FALSE(awaited.heard_of_all(Seconds(15)));
  CHECK(awaited.heard_of_all(Seconds(16)));
  CHECK_FALSE(awaited.empty());  // that alone forgets nobody
  awaited.give_up(Seconds(16));
  CHECK(awaited.empty());
}

TEST_CASE("workers are waited for less long than others", "[coordinator]") {
  Awaited awaited(Seconds(6), Seconds(1));
  awaited.begin(Seconds(10));
  CHECK(awaited.workers_until() == Seconds(11));
  CHECK(awaited.until() == Seconds(16));
}

}  // namespace dipaco::testing
