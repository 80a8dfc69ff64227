// Whoever makes shards is lost in the middle, and goes on.

#include <catch2/catch.hpp>
#include <span>
#include <string>

#include "tests/coordinator/resharding_world.hpp"

namespace dipaco::testing {

TEST_CASE("whoever makes shards goes on after a restart with the answers that it had", "[coordinator]") {
  World world("flat:2", 9000);
  const RunPlan plan = world.made.plan();
  const auto scores = made_up_scores(plan);
  const auto undisturbed = [&] {
    MemoryStorage other;
    Resharding resharding(plan, other, world.archive);
    reshard(resharding, plan, scores);
    return resharding.hash();
  }();
  const auto again = [&] { return Resharding(plan, world.storage, world.archive); };
  for (std::int32_t path = kPaths; path-- > 0;) {
    CHECK_FALSE(again().has_score(PathId{path}, kVersion));
    CHECK(again().scored(PathId{path}, kVersion, scores[static_cast<std::size_t>(path)]));
    CHECK(again().has_score(PathId{path}, kVersion));
  }
  const auto fit = again().jobs();
  REQUIRE(fit.size() == 1);
  CHECK(fit.front().kind == Job::Kind::fit);
  CHECK(again().fitted({1, router_of(plan, again().request(fit.front()))}));
  for (std::size_t parts = 3; parts > 0; --parts) {
    REQUIRE(again().jobs().size() == parts);
    CHECK(again().jobs().back().kind == Job::Kind::route);
    CHECK(again().routed(answer(plan, again().request(again().jobs().back()))));
  }
  CHECK(again().hash() == undisturbed);
  CHECK(again().jobs().empty());
  CHECK(world.storage.list("resharding/").empty());
}

TEST_CASE("of an answer whose write was stopped nothing is left, and it is taken again", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  const auto scores = made_up_scores(plan);
  Resharding(plan, world.storage, world.archive).scored(PathId{0}, kVersion, scores[0]);
  const auto one = world.storage.get("resharding/1").value();
  Resharding(plan, world.storage, world.archive).scored(PathId{1}, kVersion, scores[1]);
  const auto both = world.storage.get("resharding/1").value();
  for (std::size_t size = one.size(); size <= both.size(); ++size) {
    world.storage.put("resharding/1", std::span(both).first(size));
    Resharding resharding(plan, world.storage, world.archive);
    CHECK(resharding.has_score(PathId{0}, kVersion));
    CHECK(resharding.scored(PathId{1}, kVersion, scores[1]) == (size < both.size()));
    CHECK(world.storage.get("resharding/1").value() == both);
  }
}

TEST_CASE("whoever is stopped between the last answer and the shards makes them after a restart", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  Resharding first(plan, world.storage, world.archive);
  for (std::int32_t path = 0; path < kPaths; ++path) {
    first.scored(PathId{path}, kVersion, made_up_scores(plan)[static_cast<std::size_t>(path)]);
  }
  PhaseProgress progress(world.storage, {kPaths, plan.learner->router_documents().size(), 90});
  progress.begin(1);
  progress.fit(router_of(plan, first.request(first.jobs().front())));
  progress.route(0, plan.learner->route(progress.router(), 0, 90));
  const Resharding again(plan, world.storage, world.archive);
  CHECK(again.ready(1));
  MemoryStorage other;
  Resharding undisturbed(plan, other, world.archive);
  reshard(undisturbed, plan, made_up_scores(plan));
  CHECK(again.hash() == undisturbed.hash());
}

TEST_CASE("what is kept of a phase that is ready is forgotten - that of another run is an error", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  Resharding(plan, world.storage, world.archive).scored(PathId{1}, kVersion, made_up_scores(plan)[1]);
  const auto kept = world.storage.get("resharding/1").value();
  Resharding resharding(plan, world.storage, world.archive);
  reshard(resharding, plan, made_up_scores(plan));
  world.storage.put("resharding/1", kept);  // as after a power cut
  CHECK(Resharding(plan, world.storage, world.archive).ready(1));
  CHECK(world.storage.list("resharding/").empty());

  World smaller("flat:2", 20);
  const RunPlan other = smaller.made.plan();
  smaller.storage.put("resharding/1", kept);
  CHECK_THROWS_WITH(Resharding(other, smaller.storage, smaller.archive),
                    Catch::Contains("resharding/1: it has other paths or documents than the run"));
}

}  // namespace dipaco::testing
