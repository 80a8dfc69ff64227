#include <catch2/catch.hpp>

#include "backends/sim/network/reachability.hpp"

namespace dipaco::testing {

TEST_CASE("a node that is frozen out reaches itself alone, until it is let in", "[sim]") {
  const LinkUse links;
  Reachability reach(links);
  const auto blocked = [&](int from, int to) { return reach.blocked({.from = NodeId{from}, .to = NodeId{to}}); };
  reach.freeze_out(NodeId{1});
  CHECK(blocked(1, 2));
  CHECK(blocked(0, 1));
  CHECK_FALSE(blocked(1, 1));
  CHECK_FALSE(blocked(0, 2));
  reach.let_in(NodeId{1});
  CHECK_FALSE(blocked(1, 2));
}

TEST_CASE("a cut lies across the way between two nodes of one host, too", "[sim]") {
  const LinkUse links;
  Reachability reach(links);
  const Pair pair{.from = NodeId{0}, .to = NodeId{1}};
  REQUIRE(pair.local());
  reach.cuts().begin(NodeId{1}, std::nullopt);
  CHECK(reach.blocked(pair));
}

}  // namespace dipaco::testing
