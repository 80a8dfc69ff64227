#include <catch2/catch.hpp>

#include "backends/loopback/cuts.hpp"

namespace dipaco::testing {
namespace {

using Line = LoopbackCuts::Line;
constexpr NodeId kOne{0};
constexpr NodeId kOther{1};
constexpr NodeId kThird{2};

}  // namespace

TEST_CASE("a cut between two nodes holds what they send each other, in both directions, and nothing else",
          "[loopback]") {
  LoopbackCuts cuts;
  CHECK(cuts.line(kOne, kOther) == Line::open);
  const auto cut = cuts.add(kOne, kOther);
  CHECK(cuts.line(kOne, kOther) == Line::held);
  CHECK(cuts.line(kOther, kOne) == Line::held);
  CHECK(cuts.line(kOne, kThird) == Line::open);
  CHECK(cuts.covers(cut, kOther, kOne));
  CHECK_FALSE(cuts.covers(cut, kOther, kThird));
  cuts.mend(cut);
  CHECK(cuts.line(kOne, kOther) == Line::open);
}

TEST_CASE("a cut of one node from everyone covers all of its lines, but not what it sends itself", "[loopback]") {
  LoopbackCuts cuts;
  cuts.add(kOther, std::nullopt);
  CHECK(cuts.line(kOne, kOther) == Line::held);
  CHECK(cuts.line(kOther, kThird) == Line::held);
  CHECK(cuts.line(kOne, kThird) == Line::open);
  CHECK(cuts.line(kOther, kOther) == Line::open);
}

TEST_CASE("of several cuts of one line one that loses is enough, and each is mended on its own", "[loopback]") {
  LoopbackCuts cuts;
  const auto first = cuts.add(kOne, kOther);
  const auto second = cuts.add(kOne, std::nullopt);
  CHECK(first != second);
  cuts.lose(second);
  CHECK(cuts.line(kOne, kOther) == Line::lost);
  CHECK(cuts.line(kOne, kThird) == Line::lost);
  cuts.mend(second);
  CHECK(cuts.line(kOne, kOther) == Line::held);
  CHECK(cuts.line(kOne, kThird) == Line::open);
}

}  // namespace dipaco::testing
