#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "core/outer/contributions.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

Contributions::InHand contribution_of(std::int32_t path, std::int32_t outer_step, double share = 0.25) {
  return {.what = {.path = PathId{path},
                   .outer_step = OuterStep{outer_step},
                   .base = Version{outer_step},
                   .inner_steps = InnerSteps{5},
                   .share = share},
          .weight = share / 2,
          .sender = NodeId{path + 10},
          .came = Seconds(8 - path)};
}

}  // namespace

TEST_CASE("what is in hand is counted with its shares until a version takes it", "[outer]") {
  Contributions contributions;
  CHECK(contributions.empty());
  contributions.add(contribution_of(3, 4, 0.5));
  contributions.add(contribution_of(1, 4, 0.125));
  CHECK_FALSE(contributions.empty());
  CHECK(contributions.contains(PathId{1}));
  CHECK_FALSE(contributions.contains(PathId{2}));
  const PartView before = contributions.view(Version{4}, 6, Seconds(9));
  CHECK(before.version == Version{4});
  CHECK(before.paths == 6);
  CHECK(before.in_hand == 2);
  CHECK(before.share == 0.625);
  CHECK(before.now == Seconds(9));
  CHECK(std::vector(before.arrived.begin(), before.arrived.end()) == std::vector{Seconds(5), Seconds(7)});
  contributions.take();
  CHECK(contributions.empty());
  CHECK_FALSE(contributions.contains(PathId{1}));
  const PartView after = contributions.view(Version{5}, 6, Seconds(9));
  CHECK(after.in_hand == 0);
  CHECK(after.share == 0);
  CHECK(after.arrived.empty());
}

TEST_CASE("a version takes what is in hand by path, and that is settled, no other", "[outer]") {
  Contributions contributions;
  contributions.add(contribution_of(3, 4));
  contributions.add(contribution_of(1, 6));
  CHECK(contributions.settled(PathId{3}) == OuterStep{0});
  const auto taken = contributions.take();
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].what.path == PathId{1});
  CHECK(taken[0].what.outer_step == OuterStep{6});
  CHECK(taken[0].what.base == Version{6});
  CHECK(taken[0].weight == 0.125);
  CHECK(taken[0].sender == NodeId{11});
  CHECK(taken[1].what.path == PathId{3});
  CHECK(contributions.settled() == std::map<PathId, OuterStep>{{PathId{1}, OuterStep{7}}, {PathId{3}, OuterStep{5}}});
  CHECK(contributions.settled(PathId{2}) == OuterStep{0});
  CHECK(contributions.take().empty());
}

TEST_CASE("a path that gives twice to a version is a bug", "[outer]") {
  Contributions contributions;
  contributions.add(contribution_of(1, 4));
  CHECK_THROWS_AS(contributions.add(contribution_of(1, 5)), std::logic_error);
  contributions.take();
  contributions.add(contribution_of(1, 5));  // to the next one it may
  CHECK(contributions.contains(PathId{1}));
}

TEST_CASE("a contribution that is dropped is settled and not in hand", "[outer]") {
  Contributions contributions;
  contributions.add(contribution_of(1, 2));
  contributions.drop(PathId{2}, OuterStep{6});
  CHECK(contributions.settled(PathId{2}) == OuterStep{7});
  CHECK_FALSE(contributions.contains(PathId{2}));
  CHECK(contributions.view(Version{0}, 2, Seconds(9)).in_hand == 1);
}

TEST_CASE("an older word of what is settled changes nothing", "[outer]") {
  Contributions contributions;
  contributions.settle(PathId{2}, OuterStep{5});
  contributions.settle(PathId{2}, OuterStep{3});
  CHECK(contributions.settled(PathId{2}) == OuterStep{5});
  contributions.settle(PathId{2}, OuterStep{6});
  CHECK(contributions.settled(PathId{2}) == OuterStep{6});
}

TEST_CASE("whoever sent a contribution last expects the version", "[outer]") {
  Contributions contributions;
  contributions.add(contribution_of(1, 0));
  contributions.add(contribution_of(2, 0));
  contributions.sent_again(PathId{1}, NodeId{30});
  const auto taken = contributions.take();
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].sender == NodeId{30});
  CHECK(taken[1].sender == NodeId{12});
}

TEST_CASE("a sender that is lost expects nothing any more - what it sent counts", "[outer]") {
  Contributions contributions;
  contributions.add(contribution_of(1, 0));
  contributions.add(contribution_of(2, 0));
  contributions.lost(NodeId{12});
  const auto taken = contributions.take();
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].sender == NodeId{11});
  CHECK(taken[1].sender == NodeId{-1});
}

TEST_CASE("those who still give are those who are not settled up to the end", "[outer]") {
  constexpr std::int32_t kPaths = 5;
  constexpr std::int32_t kEnd = 8;
  Draws draws(11);
  for (int round = 0; round < 20; ++round) {
    Contributions contributions;
    std::map<PathId, double> shares;
    for (std::int32_t p = 0; p < kPaths; ++p) shares[PathId{p}] = 1.0 / kPaths;
    contributions.expect(shares);
    CHECK(contributions.shares() == shares);
    std::array<std::int32_t, kPaths> settled{};
    for (int k = 0; k < 40; ++k) {
      const std::int32_t path = draws.below(kPaths);
      const std::int32_t step = draws.below(kEnd + 1);  // also an older word, and the same once more
      contributions.settle(PathId{path}, OuterStep{step});
      std::int32_t& known = settled[static_cast<std::size_t>(path)];
      known = std::max(known, step);
      REQUIRE(contributions.giving(OuterStep{kEnd}) ==
              std::ranges::count_if(settled, [](auto at) { return at < kEnd; }));
    }
  }
}

TEST_CASE("where nobody else can give to the next version, those in hand are they that still give", "[outer]") {
  Contributions contributions;
  contributions.expect({{PathId{0}, 0.25}, {PathId{1}, 0.25}, {PathId{2}, 0.25}, {PathId{3}, 0.25}});
  const OuterStep end{8};
  contributions.settle(PathId{2}, OuterStep{5});
  contributions.add(contribution_of(1, 3));
  CHECK(contributions.giving(end) == 4);
  contributions.only_those_in_hand();
  CHECK(contributions.giving(end) == 1);
  CHECK(contributions.take().size() == 1);
  CHECK(contributions.giving(end) == 4);  // to the version after it all may give
}

TEST_CASE("a path whose last contribution has come gives to the next version, and to none after it", "[outer]") {
  Contributions contributions;
  contributions.expect({{PathId{0}, 0.25}, {PathId{1}, 0.25}, {PathId{2}, 0.25}, {PathId{3}, 0.25}});
  const OuterStep end{800};
  contributions.note_last(PathId{1});
  contributions.add(contribution_of(1, 3));
  CHECK(contributions.giving(end) == 4);
  contributions.take();
  CHECK(contributions.giving(end) == 3);
  contributions.note_last(PathId{2});
  contributions.drop(PathId{2}, OuterStep{4});
  CHECK(contributions.giving(end) == 2);
  contributions.note_last(PathId{3});
  contributions.drop(PathId{3}, OuterStep{799});  // its outer steps say so, too
  CHECK(contributions.giving(end) == 1);
}

}  // namespace dipaco::testing
