#include <algorithm>
#include <catch2/catch.hpp>

#include "core/roles/modules/gradient_relay.hpp"
#include "core/state/archive.hpp"
#include "core/state/path_values.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kOwnerAway{7};
constexpr NodeId kOtherOwnerAway{8};
constexpr NodeId kSending{20};

/// A store's part, and what it sends. In "2x4" four paths go through each module of the first level.
struct RelayOnItsOwn {
  RunPlan plan;
  KeptMessages sent;
  NoArchive archive;
  GradientRelay relay{plan, sent, archive};

  /// The outer gradient of the n-th path through a module, of these values.
  OuterGradient gradient(ModuleId module, std::size_t of, std::int32_t outer_step = 0, float value = 0.125F) const {
    const TaskId task{plan.topology.paths_through(module).at(of), OuterStep{outer_step}};
    const std::size_t size = plan.layout.levels[static_cast<std::size_t>(module.level)].size;
    GradientValues values =
        make_gradient(plan, module.level, std::vector<float>(size, value), std::vector<float>(size));
    return {module, task, Version{outer_step}, 5, std::move(values), 1, Awaits::nothing_unasked};
  }
  void give(const OuterGradient& given, NodeId owner = kOwnerAway) { relay.take(kSending, {given, owner}); }
  void take(std::uint64_t number, std::vector<TaskId> lacking = {}, NodeId owner = kOwnerAway) {
    relay.answered(owner, {number, false, std::move(lacking)});
  }
};

constexpr ModuleId kHere{0, 0};

std::vector<TaskId> tasks_of(const GradientSum& sum) {
  std::vector<TaskId> tasks;
  for (const SummedTask& each : sum.tasks) tasks.push_back(each.task);
  return tasks;
}

}  // namespace

TEST_CASE("a gradient goes on at once where the way is free, and what comes meanwhile is added", "[roles]") {
  const MadeUpRun made("2x4");
  RelayOnItsOwn store{.plan = made.plan()};
  store.give(store.gradient(kHere, 0));
  const auto first = store.sent.take<RelayedGradient>();
  REQUIRE(first.size() == 1);
  CHECK(first[0].first == kOwnerAway);
  for (const std::size_t of : {1, 2, 3}) store.give(store.gradient(kHere, of));
  CHECK(store.sent.empty());
  store.take(first[0].second.number);
  const auto sums = store.sent.take<GradientSum>();
  REQUIRE(sums.size() == 1);
  const GradientSum& sum = sums[0].second;
  CHECK(sum.module == kHere);
  CHECK(sum.tasks.size() == 3);
  CHECK(sum.tasks[0].inner_steps == 5);
  // Each times its share, as their owner would add them.
  OuterAccumulator expected(store.plan.layout.levels[0].size);
  const auto shares = Shares(store.plan).of(kHere, Version{0});
  for (const SummedTask& each : sum.tasks) {
    expected.add(std::vector<float>(expected.size(), 0.125F), shares.at(each.task.path), "path");
  }
  CHECK(*sum.sum.bytes == *expected.encode());
  store.take(sum.number);
  CHECK(store.sent.empty());
}

TEST_CASE("owners do not wait for each other, and what goes to one goes by outer step", "[roles]") {
  const MadeUpRun made("2x4");
  RelayOnItsOwn store{.plan = made.plan()};
  store.give(store.gradient(kHere, 0, 1));
  const auto first = store.sent.take<RelayedGradient>();
  store.give(store.gradient({0, 1}, 0), kOtherOwnerAway);
  CHECK(store.sent.take<RelayedGradient>().size() == 1);
  store.give(store.gradient({1, 0}, 0, 1));
  store.give(store.gradient({1, 1}, 0, 0));
  store.take(first.at(0).second.number);
  const auto next = store.sent.take<RelayedGradient>();
  REQUIRE(next.size() == 1);
  CHECK(next[0].second.gradient.module == ModuleId{1, 1});
}

TEST_CASE("of two int8 gradients each goes singly, as their sum would be larger", "[roles]") {
  MadeUpRun made("2x4");
  made.config.outer.outer_gradient_format = "int8";
  RelayOnItsOwn store{.plan = made.plan()};
  for (const std::size_t of : {0, 1, 2}) store.give(store.gradient(kHere, of));
  const auto first = store.sent.take<RelayedGradient>();
  store.take(first.at(0).second.number);
  CHECK(store.sent.take<RelayedGradient>().size() == 1);
}

TEST_CASE("what is too large to be written as a sum goes singly", "[roles]") {
  const MadeUpRun made("2x4");
  RelayOnItsOwn store{.plan = made.plan()};
  for (const std::size_t of : {0, 1, 2, 3}) store.give(store.gradient(kHere, of, 0, 2));
  for (int k = 0; k < 4; ++k) {
    const auto one = store.sent.take<RelayedGradient>();
    REQUIRE(one.size() == 1);
    store.take(one[0].second.number);
  }
  CHECK(store.sent.empty());
}

TEST_CASE("what the owner could not add of a sum goes singly, and an answer to something else changes nothing",
          "[roles]") {
  const MadeUpRun made("2x4");
  RelayOnItsOwn store{.plan = made.plan()};
  for (const std::size_t of : {0, 1, 2, 3}) store.give(store.gradient(kHere, of));
  const auto first = store.sent.take<RelayedGradient>();
  store.take(first.at(0).second.number);
  const GradientSum sum = store.sent.take<GradientSum>().at(0).second;
  store.take(first.at(0).second.number);  // once more
  store.take(sum.number, {}, kOtherOwnerAway);
  CHECK(store.sent.empty());
  const std::vector<TaskId> tasks = tasks_of(sum);
  store.take(sum.number, {tasks[1], tasks[2]});
  std::vector<TaskId> came;
  for (int k = 0; k < 2; ++k) {
    const auto one = store.sent.take<RelayedGradient>();
    REQUIRE(one.size() == 1);
    came.push_back(one[0].second.gradient.task);
    store.take(one[0].second.number);
  }
  CHECK(std::ranges::is_permutation(came, std::vector{tasks[1], tasks[2]}));
  CHECK(store.sent.empty());
}

TEST_CASE("what comes twice goes once", "[roles]") {
  const MadeUpRun made("2x4");
  RelayOnItsOwn store{.plan = made.plan()};
  store.give(store.gradient(kHere, 0));
  const auto first = store.sent.take<RelayedGradient>();
  store.give(store.gradient(kHere, 0));
  store.give(store.gradient(kHere, 1));
  store.relay.take(NodeId{21}, {store.gradient(kHere, 1), kOwnerAway});  // another attempt's
  store.take(first.at(0).second.number);
  CHECK(store.sent.take<RelayedGradient>().size() == 1);
  store.relay.lost(kOwnerAway);
  const auto told = store.sent.take<GradientsLost>();
  REQUIRE(told.size() == 1);
  CHECK(told[0].first == NodeId{21});  // who gave it last
}

TEST_CASE("what an owner cannot judge yet holds nothing up, and is known until it can", "[roles]") {
  const MadeUpRun made("2x4");
  RelayOnItsOwn store{.plan = made.plan()};
  for (const std::size_t of : {0, 1, 2, 3}) store.give(store.gradient(kHere, of));
  store.take(store.sent.take<RelayedGradient>().at(0).second.number);
  const GradientSum sum = store.sent.take<GradientSum>().at(0).second;
  store.give(store.gradient({1, 0}, 0));
  CHECK(store.sent.empty());
  store.relay.answered(kOwnerAway, {sum.number, true, {}});
  store.relay.answered(kOwnerAway, {sum.number, true, {}});  // once more
  const auto next = store.sent.take<RelayedGradient>();
  REQUIRE(next.size() == 1);
  CHECK(next[0].second.gradient.module == ModuleId{1, 0});
  store.take(next[0].second.number);
  const TaskId lacking = sum.tasks[1].task;
  store.take(sum.number, {lacking});
  const auto again = store.sent.take<RelayedGradient>();
  REQUIRE(again.size() == 1);
  CHECK(again[0].second.gradient.task == lacking);
  store.relay.answered(kOwnerAway, {again[0].second.number, true, {}});
  store.relay.lost(kOwnerAway);
  CHECK(store.sent.take<GradientsLost>().size() == 1);
}

TEST_CASE("workers hear which of their gradients may not arrive where the owner is lost", "[roles]") {
  const MadeUpRun made("2x4");
  RelayOnItsOwn store{.plan = made.plan()};
  for (const std::size_t of : {0, 1}) store.give(store.gradient(kHere, of));
  store.sent.take<RelayedGradient>();
  store.relay.lost(kOtherOwnerAway);
  CHECK(store.sent.empty());
  store.relay.lost(kOwnerAway);
  const auto told = store.sent.take<GradientsLost>();
  REQUIRE(told.size() == 2);
  CHECK(told[0].first == kSending);
  CHECK(told[0].second.module == kHere);
  CHECK(told[0].second.inner_steps == 5);
  store.give(store.gradient(kHere, 2));  // the owner is back
  CHECK(store.sent.take<RelayedGradient>().size() == 1);
}

TEST_CASE("where nothing is learned a sum is charged as one that is there", "[roles]") {
  const MadeUpRun made("2x4");
  RelayOnItsOwn store{.plan = made.plan_of_costs()};
  const auto none = [&](std::size_t of) {
    OuterGradient gradient = store.gradient(kHere, of);
    gradient.difference.bytes = nullptr;
    return gradient;
  };
  for (const std::size_t of : {0, 1, 2}) store.give(none(of));
  store.take(store.sent.take<RelayedGradient>().at(0).second.number);
  const GradientSum sum = store.sent.take<GradientSum>().at(0).second;
  CHECK(sum.sum.bytes == nullptr);
  const std::uint64_t size = store.plan.charged.levels[0].size;
  CHECK(make_message(sum).wire_size.value == 1 + 8 + 8 + 4 + (4 + 2 * 12) + 8 + 8 + kSumBytes * size);
}

}  // namespace dipaco::testing
