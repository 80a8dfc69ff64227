#include <array>
#include <catch2/catch.hpp>
#include <span>
#include <variant>

#include "core/outer/quorum.hpp"

namespace dipaco {
namespace {

constexpr std::array kCame{Seconds(10), Seconds(20), Seconds(30), Seconds(40), Seconds(50)};

/// Of a module of five paths, all of which still give.
PartView in_hand(std::int32_t contributions) {
  return {.version = Version{7},
          .members = 5,
          .paths = 5,
          .in_hand = contributions,
          .share = 0.2 * contributions,
          .now = Seconds(60),
          .arrived = std::span(kCame).first(static_cast<std::size_t>(contributions))};
}

}  // namespace

TEST_CASE("a module steps by the mean of what is in hand, once as many are as the quorum", "[outer]") {
  const SyncPolicy policy = quorum_policy({.quorum = 2});
  CHECK_FALSE(policy.rounds);
  CHECK(policy.optimizer == "nesterov");
  CHECK_FALSE(policy.step->step(in_hand(0)));
  CHECK_FALSE(policy.step->step(in_hand(1)));
  const auto due = policy.step->step(in_hand(2));
  REQUIRE(due);
  CHECK(due->scale == 2.5);  // each has a fifth of the share
  CHECK(policy.step->step(in_hand(5))->scale == 1);
}

TEST_CASE("where shorter tasks weigh less, the direction is the mean by what has come", "[outer]") {
  const SyncPolicy policy = quorum_policy({.quorum = 2});
  PartView all = in_hand(5);
  all.share = 0.8;
  CHECK(policy.step->step(all)->scale == 1.25);
}

TEST_CASE("unless it is said, half of a module's paths are its quorum, rounded up", "[outer]") {
  const SyncPolicy policy = quorum_policy({});
  CHECK_FALSE(policy.step->step(in_hand(2)));
  CHECK(policy.step->step(in_hand(3)));
}

TEST_CASE("where fewer can still give than the quorum, these are enough", "[outer]") {
  const SyncPolicy policy = quorum_policy({.quorum = 4});
  PartView last = in_hand(2);
  CHECK_FALSE(policy.step->step(last));
  last.paths = 2;
  CHECK(policy.step->step(last));
  last.paths = 0;
  last.in_hand = 0;
  CHECK_FALSE(policy.step->step(last));
}

TEST_CASE("a module waits the grace for more once its quorum is there, and no longer than until all have given",
          "[outer]") {
  const SyncPolicy policy = quorum_policy({.quorum = 2, .grace = Seconds(45)});
  CHECK_FALSE(policy.step->step(in_hand(1)));
  CHECK_FALSE(policy.step->wake(in_hand(1)));  // before the quorum only an arrival counts
  PartView early = in_hand(3);
  CHECK_FALSE(policy.step->step(early));
  CHECK(policy.step->wake(early) == Seconds(65));  // the second came at 20
  early.now = Seconds(65);
  CHECK(policy.step->step(early));
  CHECK(policy.step->step(in_hand(5)));
  PartView last = in_hand(3);
  last.paths = 3;
  CHECK(policy.step->step(last));
}

TEST_CASE("a grace can be a share of the time that the quorum took since the version before", "[outer]") {
  const SyncPolicy policy = quorum_policy({.quorum = 3, .grace_share = 0.5});
  PartView early = in_hand(4);
  early.made = Seconds(4);
  CHECK(policy.step->wake(early) == Seconds(43));  // the third came at 30, 26 s later
  early.now = Seconds(42);
  CHECK_FALSE(policy.step->step(early));
  early.now = Seconds(43);
  CHECK(policy.step->step(early));
  early.made = std::nullopt;
  CHECK(policy.step->wake(early) == Seconds(40));
  const SyncPolicy both = quorum_policy({.quorum = 3, .grace = Seconds(5), .grace_share = 0.5});
  CHECK(both.step->wake(early) == Seconds(45));
}

TEST_CASE("nothing is awaited before the first contribution, as long as nobody knows who gives", "[outer]") {
  const SyncPolicy policy = quorum_policy({.grace_share = 0.5});
  PartView before{.made = Seconds(5)};
  CHECK_FALSE(policy.step->wake(before));
  before.made.reset();
  CHECK_FALSE(policy.step->wake(before));
}

TEST_CASE("what comes after its step is in the next one, weighs less where staleness does, or is dropped", "[outer]") {
  const ContributionView late{.path = PathId{1}, .outer_step = OuterStep{2}, .base = Version{4}, .share = 0.2};
  const auto weight_of = [&](const QuorumOptions& options) {
    return std::get<Add>(quorum_policy(options).step->arrived(in_hand(1), late)).weight;
  };
  CHECK(weight_of({}) == 0.2);
  CHECK(weight_of({.late = {.polynomial = true}}) == 0.1);
  const auto verdict = quorum_policy({.late = {.max_staleness = 2}}).step->arrived(in_hand(1), late);
  REQUIRE(std::holds_alternative<Drop>(verdict));
  CHECK(std::get<Drop>(verdict).why == "stale: its base is 3 versions behind");
}

}  // namespace dipaco
