#include <catch2/catch.hpp>
#include <cmath>
#include <variant>

#include "core/outer/asynchronous.hpp"

namespace dipaco {
namespace {

constexpr PartView kPart{.version = Version{7}, .members = 4, .paths = 3};

ContributionView from_version(std::int32_t base) {
  return {.path = PathId{1}, .outer_step = OuterStep{2}, .base = Version{base}, .share = 0.25};
}

}  // namespace

TEST_CASE("the asynchronous policy steps at each contribution, by one of the average weight as a whole", "[outer]") {
  const SyncPolicy policy = asynchronous_policy({});
  CHECK_FALSE(policy.rounds);
  CHECK(policy.optimizer == "delayed_nesterov");
  CHECK_FALSE(policy.step->step(kPart));
  const auto verdict = policy.step->arrived(kPart, from_version(3));
  REQUIRE(std::holds_alternative<Add>(verdict));
  const double weight = std::get<Add>(verdict).weight;
  PartView in_hand = kPart;
  in_hand.in_hand = 1;
  in_hand.share = 0.25;
  const auto due = policy.step->step(in_hand);
  REQUIRE(due);
  CHECK(weight * due->scale == 1);
}

TEST_CASE("a stale contribution weighs (1 + staleness)^-1/2, or is dropped above the bound", "[outer]") {
  const SyncPolicy policy = asynchronous_policy({.late = {.polynomial = true, .max_staleness = 3}});
  for (const auto& [base, weight] : {std::pair(7, 0.25), std::pair(6, 0.25 / std::sqrt(2.0)), std::pair(4, 0.125)}) {
    const auto verdict = policy.step->arrived(kPart, from_version(base));
    REQUIRE(std::holds_alternative<Add>(verdict));
    CHECK(std::get<Add>(verdict).weight == weight);
  }
  const auto verdict = policy.step->arrived(kPart, from_version(3));
  REQUIRE(std::holds_alternative<Drop>(verdict));
  CHECK(std::get<Drop>(verdict).why == "stale: its base is 4 versions behind");
}

TEST_CASE("a task's base is out", "[outer]") {
  CHECK_THROWS_AS(asynchronous_policy({}).step->arrived(kPart, from_version(8)), std::logic_error);
}

TEST_CASE("a path goes on once its own contributions are settled, whoever else is late", "[outer]") {
  const SyncPolicy policy = asynchronous_policy({});
  StartView view{.next_outer_step = OuterStep{3}, .done = OuterStep{3}, .version = Version{0}, .settled = OuterStep{2}};
  CHECK_FALSE(policy.start->may_begin(view));
  view.settled = OuterStep{3};
  CHECK(policy.start->may_begin(view));
  CHECK(policy.start->grace() == Seconds(0));
  CHECK(asynchronous_policy({.grace = Seconds(30)}).start->grace() == Seconds(30));
}

}  // namespace dipaco
