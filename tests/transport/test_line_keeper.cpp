#include <catch2/catch.hpp>

#include "core/transport/line_keeper.hpp"

namespace dipaco::testing {
namespace {

using Pairs = std::vector<NodePair>;

constexpr Line kLine{SiteId{0}, SiteId{1}};
constexpr Seconds kNow{1};

NodePair from(std::int32_t node) { return {NodeId{node}, NodeId{9}}; }

/// Nodes ask in this order, each for a message to node 9, of this outer step.
Pairs ask(LineKeeper& keeper, std::int32_t node, std::int32_t outer_step = 0, Line line = kLine) {
  return keeper.ask(from(node), line, {NodeId{9}, {outer_step, Urgency::Use::end_task}, 1000}, kNow);
}

}  // namespace

TEST_CASE("one at a time has its turn on a line, then the most urgent, of those the oldest", "[transport]") {
  LineKeeper keeper;
  CHECK(ask(keeper, 1, 7) == Pairs{from(1)});
  CHECK(ask(keeper, 2, 7).empty());
  CHECK(ask(keeper, 3, 8).empty());
  CHECK(ask(keeper, 4, 7).empty());
  CHECK(ask(keeper, 5, 7).empty());
  CHECK(keeper.over(from(1), true, kNow) == Pairs{from(2)});
  CHECK(keeper.over(from(2), true, kNow) == Pairs{from(4)});
  CHECK(keeper.over(from(4), true, kNow) == Pairs{from(5)});
  CHECK(keeper.over(from(5), true, kNow) == Pairs{from(3)});
  CHECK(keeper.over(from(3), true, kNow).empty());
  CHECK(keeper.concerned().empty());
}

TEST_CASE("each line has turns of its own, in each direction", "[transport]") {
  LineKeeper keeper;
  ask(keeper, 1);
  CHECK(ask(keeper, 2).empty());
  CHECK(ask(keeper, 3, 0, {SiteId{1}, SiteId{0}}) == Pairs{from(3)});
  CHECK(ask(keeper, 4, 0, {SiteId{0}, SiteId{2}}) == Pairs{from(4)});
  CHECK(ask(keeper, 5).empty());
}

TEST_CASE("who needs its turn no more gives it back, whether it had it or not", "[transport]") {
  LineKeeper keeper;
  for (const int node : {1, 2, 3}) ask(keeper, node);
  CHECK(keeper.over(from(2), false, kNow).empty());
  CHECK(keeper.over(from(1), false, kNow) == Pairs{from(3)});
  CHECK(keeper.over(from(1), true, kNow).empty());  // said twice
}

TEST_CASE("who asks again had forgotten its question: it is at the end", "[transport]") {
  LineKeeper keeper;
  for (const int node : {1, 2}) ask(keeper, node);
  CHECK(ask(keeper, 1) == Pairs{from(2)});
  CHECK(keeper.over(from(2), true, kNow) == Pairs{from(1)});
}

TEST_CASE("a lost node's turns are others', and it gets none", "[transport]") {
  LineKeeper keeper;
  for (const int node : {1, 3, 4}) ask(keeper, node);
  keeper.ask({NodeId{1}, NodeId{8}}, kLine, {NodeId{8}, {}, 1000}, kNow);  // another of the same node, before node 3's
  CHECK(keeper.lost(NodeId{1}, kNow) == Pairs{from(3)});
  CHECK(keeper.over(from(3), true, kNow) == Pairs{from(4)});
}

TEST_CASE("who waits, and for whom, is known: they are no standstill", "[transport]") {
  LineKeeper keeper;
  ask(keeper, 1);
  CHECK(keeper.concerned() == std::vector<NodeId>{NodeId{1}, NodeId{9}});
}

}  // namespace dipaco::testing
