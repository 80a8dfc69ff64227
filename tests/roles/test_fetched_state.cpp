#include <catch2/catch.hpp>

#include "core/roles/supplies/fetched_state.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kHasIt{8};
constexpr NodeId kHasItNow{9};
const FetchPathState kWanted{.path = PathId{2}, .version = 3, .inner_steps = 4};

/// The answer to kWanted, as far as it can be told from others.
PathStateBody its_answer() {
  return {.path = PathId{2}, .version = 3, .inner_steps = 4, .first_moment = {.charged = 10}};
}

/// How often the state is asked for, and of whom.
std::vector<NodeId> asked(FetchedState& state, KeptMessages& sent) {
  state.request();
  std::vector<NodeId> stores;
  for (const auto& [store, fetch] : sent.take<FetchPathState>()) stores.push_back(store);
  return stores;
}

}  // namespace

TEST_CASE("a state that is needed is asked of its store once, and is here once the answer has come", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  KeptMessages sent;
  FetchedState state(plan, sent);
  CHECK(state.here());  // nothing is needed
  CHECK(asked(state, sent).empty());
  state.want(kWanted, kHasIt);
  CHECK_FALSE(state.here());
  CHECK(state.unasked());
  state.request();
  const auto asks = sent.take<FetchPathState>();
  REQUIRE(asks.size() == 1);
  CHECK(asks[0].first == kHasIt);
  CHECK(asks[0].second.path == PathId{2});
  CHECK(asks[0].second.version == 3);
  CHECK(asks[0].second.inner_steps == 4);
  CHECK(asks[0].second.moments);
  CHECK_FALSE(state.unasked());
  CHECK(asked(state, sent).empty());
  state.arrived(its_answer());
  CHECK(state.here());
  CHECK(state.get().version == 3);
  CHECK(state.take().inner_steps == 4);
  CHECK_FALSE(state.here());  // it was taken
}

TEST_CASE("a late answer to something else is not taken for the state that is needed", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  KeptMessages sent;
  FetchedState state(plan, sent);
  state.want(kWanted, kHasIt);
  const auto comes = [&](const auto& change) {
    PathStateBody other = its_answer();
    change(other);
    state.arrived(other);
    return state.here();
  };
  CHECK_FALSE(comes([](PathStateBody& other) { other.path = PathId{1}; }));
  CHECK_FALSE(comes([](PathStateBody& other) { other.version = 2; }));
  CHECK_FALSE(comes([](PathStateBody& other) { other.inner_steps = 0; }));
  CHECK_FALSE(comes([](PathStateBody& other) { other.first_moment.charged = 0; }));  // it was for an evaluation
  CHECK(comes([](PathStateBody& /*same*/) {}));
  CHECK(comes([](PathStateBody& other) { other.version = 2; }));  // what is here stays
  CHECK(state.get().version == 3);
}

TEST_CASE("an evaluation takes a state without moments", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  KeptMessages sent;
  FetchedState state(plan, sent);
  state.want(FetchPathState{.path = PathId{2}, .version = 3, .moments = false}, kHasIt);
  state.arrived({.path = PathId{2}, .version = 3});
  CHECK(state.here());
}

TEST_CASE("a state is asked for again once its store is lost or another has it", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  KeptMessages sent;
  FetchedState state(plan, sent);
  state.want(kWanted, kHasIt);
  CHECK(asked(state, sent) == std::vector{kHasIt});
  state.lost(kHasItNow);  // it was not asked
  CHECK(asked(state, sent).empty());
  state.lost(kHasIt);
  CHECK(asked(state, sent) == std::vector{kHasIt});
  state.kept_at(kHasIt);
  CHECK(asked(state, sent).empty());
  state.kept_at(kHasItNow);
  CHECK(asked(state, sent) == std::vector{kHasItNow});
  state.arrived(its_answer());
  state.lost(kHasItNow);
  CHECK(asked(state, sent).empty());  // it is here
}

TEST_CASE("a state that no store has stays unasked until one has it", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  KeptMessages sent;
  FetchedState state(plan, sent);
  state.want(kWanted, NodeId{-1});
  CHECK(asked(state, sent).empty());
  CHECK(state.unasked());
  state.kept_at(kHasIt);
  CHECK(asked(state, sent) == std::vector{kHasIt});
}

TEST_CASE("where gradients are exchanged, a state is whole with the path's own parameters before its step", "[roles]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.policy = "gradients";
  made.config.inner.steps = 1;
  const RunPlan plan = made.plan();
  KeptMessages sent;
  FetchedState state(plan, sent);
  state.want(FetchPathState{.path = PathId{2}, .version = 3}, kHasIt);
  PathStateBody answer{.path = PathId{2}, .version = 3};
  state.arrived(answer);  // it was for an evaluation
  CHECK_FALSE(state.here());
  answer.specific_before.charged = specific_size(plan.topology, plan.charged, PathId{2});
  state.arrived(answer);
  CHECK(state.here());
}

}  // namespace dipaco::testing
