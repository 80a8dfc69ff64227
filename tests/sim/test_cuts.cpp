#include <catch2/catch.hpp>

#include "backends/sim/network/cuts.hpp"

namespace dipaco::testing {

TEST_CASE("a cut between two nodes lets everything else through, in both directions", "[sim]") {
  Cuts cuts;
  cuts.begin(NodeId{1}, NodeId{2});
  CHECK(cuts.between(NodeId{1}, NodeId{2}));
  CHECK(cuts.between(NodeId{2}, NodeId{1}));
  CHECK_FALSE(cuts.between(NodeId{1}, NodeId{3}));
  CHECK_FALSE(cuts.between(NodeId{3}, NodeId{2}));
}

TEST_CASE("a cut without a peer lies between its node and everyone, but not between it and itself", "[sim]") {
  Cuts cuts;
  cuts.begin(NodeId{1}, std::nullopt);
  CHECK(cuts.between(NodeId{1}, NodeId{7}));
  CHECK(cuts.between(NodeId{7}, NodeId{1}));
  CHECK_FALSE(cuts.between(NodeId{1}, NodeId{1}));
  CHECK_FALSE(cuts.between(NodeId{0}, NodeId{7}));
}

TEST_CASE("two nodes are cut apart until the last cut between them has ended", "[sim]") {
  Cuts cuts;
  const auto everyone = cuts.begin(NodeId{1}, std::nullopt);
  const auto two = cuts.begin(NodeId{2}, NodeId{1});
  CHECK(cuts.between(NodeId{1}, NodeId{2}, everyone));
  CHECK_FALSE(cuts.between(NodeId{1}, NodeId{3}, two));
  cuts.end(everyone);
  CHECK_FALSE(cuts.between(NodeId{1}, NodeId{2}, everyone));
  CHECK_FALSE(cuts.between(NodeId{1}, NodeId{3}));
  CHECK(cuts.between(NodeId{1}, NodeId{2}));
  cuts.end(two);
  CHECK_FALSE(cuts.between(NodeId{1}, NodeId{2}));
}

}  // namespace dipaco::testing
