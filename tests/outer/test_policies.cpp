#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>

#include "core/outer/policies.hpp"

namespace dipaco {

TEST_CASE("where modules step together, a contribution goes into the next version by its share", "[outer]") {
  const StepTogether policy;
  const PartView part{.version = Version{3}, .paths = 4};
  const Verdict verdict =
      policy.arrived(part, {.path = PathId{1}, .outer_step = OuterStep{3}, .base = Version{3}, .share = 0.375});
  REQUIRE(std::holds_alternative<Add>(verdict));
  CHECK(std::get<Add>(verdict).weight == 0.375);
}

TEST_CASE("where modules step together, a contribution for another version is a bug", "[outer]") {
  const StepTogether policy;
  const PartView part{.version = Version{3}, .paths = 4};
  for (const Version base : {Version{2}, Version{4}}) {
    CHECK_THROWS_AS(policy.arrived(part, {.path = PathId{1}, .base = base, .share = 0.5}), std::logic_error);
  }
}

TEST_CASE("a module that steps together with others waits for all its paths and takes their mean as it is", "[outer]") {
  const StepTogether policy;
  for (const std::int32_t in_hand : {1, 2}) {
    CHECK_FALSE(policy.step({.version = Version{0}, .paths = 3, .in_hand = in_hand, .share = 0.9}));
  }
  const auto due = policy.step({.version = Version{0}, .paths = 3, .in_hand = 3, .share = 1});
  REQUIRE(due);
  CHECK(due->scale == 1);
}

TEST_CASE("in rounds a path begins once its module is at its next outer step", "[outer]") {
  const StartInRounds policy;
  StartView view{.next_outer_step = OuterStep{3}, .done = OuterStep{3}, .version = Version{2}, .settled = OuterStep{3}};
  CHECK_FALSE(policy.may_begin(view));
  view.version = Version{3};
  CHECK(policy.may_begin(view));
  view.version = Version{4};
  CHECK(policy.may_begin(view));
  view.settled = OuterStep{0};  // says nothing in rounds
  CHECK(policy.may_begin(view));
}

TEST_CASE("a path that waits for no other begins once its last contribution is settled", "[outer]") {
  const StartWhenSettled policy;
  StartView view{.next_outer_step = OuterStep{3}, .done = OuterStep{3}, .version = Version{9}, .settled = OuterStep{2}};
  CHECK_FALSE(policy.may_begin(view));
  view.settled = OuterStep{3};
  CHECK(policy.may_begin(view));
  view.version = Version{0};  // says nothing without rounds
  CHECK(policy.may_begin(view));
}

TEST_CASE("the table of policies begins with the paper's, and each is found by a name of its own", "[outer]") {
  REQUIRE(sync_policies().size() >= 2);
  CHECK(sync_policies().front().name == "synchronous");
  std::set<std::string> names;
  for (const SyncPolicy& policy : sync_policies()) {
    CHECK(&sync_policy(policy.name) == &policy);
    CHECK(policy.step != nullptr);
    CHECK(policy.start != nullptr);
    names.insert(policy.name);
  }
  CHECK(names.size() == sync_policies().size());
  CHECK_THROWS_AS(sync_policy("synchronou"), std::logic_error);
}

TEST_CASE("synchronous and gradients go in rounds and differ in what is exchanged and in the optimizer", "[outer]") {
  const SyncPolicy& synchronous = sync_policy("synchronous");
  CHECK(synchronous.exchange == Exchange::parameters);
  CHECK(synchronous.optimizer == "nesterov");
  const SyncPolicy& gradients = sync_policy("gradients");
  CHECK(gradients.exchange == Exchange::gradients);
  CHECK(gradients.optimizer == "adamw");
  for (const SyncPolicy* const policy : {&synchronous, &gradients}) {
    CHECK(policy->rounds);
    CHECK_FALSE(policy->step->step({.paths = 2, .in_hand = 1, .share = 0.5}));
    CHECK(policy->step->step({.paths = 2, .in_hand = 2, .share = 1}));
    CHECK_FALSE(policy->start->may_begin(
        {.next_outer_step = OuterStep{2}, .done = OuterStep{2}, .version = Version{1}, .settled = OuterStep{2}}));
    CHECK(policy->start->may_begin(
        {.next_outer_step = OuterStep{2}, .done = OuterStep{2}, .version = Version{2}, .settled = OuterStep{0}}));
  }
}

}  // namespace dipaco
