#include <catch2/catch.hpp>
#include <set>
#include <span>
#include <string>

#include "core/base/error.hpp"
#include "core/coordinator/known/resharding.hpp"
#include "core/prepare/shard_file.hpp"
#include "core/state/path_values.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr std::int32_t kPaths = 2;
constexpr std::int32_t kVersion = 2;  ///< with which phase 1 begins

struct World {
  explicit World(const std::string& levels = "flat:2", std::size_t documents = 90) : made(levels, "", documents) {
    made.config.routing.reshard_at = "2,3";
    made.config.data.holdout_fraction = 0;
  }
  MadeUpRun made;
  MemoryStorage storage;
  NoArchive archive;
};

Values floats(std::vector<float> values) {
  const std::uint64_t size = values.size();
  return make_values(std::move(values), size);
}

std::string router_of(const RunPlan& plan, const Body& request) {
  return plan.learner->fit_router(floats_of(std::get<FitRouter>(request).labels));
}

DocumentsRouted answer(const RunPlan& plan, const Body& request) {
  const auto& route = std::get<RouteDocuments>(request);
  return {route.phase, route.first, floats(plan.learner->route(route.router, route.first, route.count))};
}

/// All steps from the scores on. @returns the labels that the router was fitted to
std::vector<float> reshard(Resharding& resharding, const RunPlan& plan, const std::vector<Values>& scores,
                           std::int32_t version = kVersion) {
  const std::int32_t phase = plan.timetable.phase_of(OuterStep{version});
  for (std::int32_t path = plan.topology.paths(); path-- > 0;) {
    CHECK(resharding.jobs().empty());
    resharding.scored(PathId{path}, version, scores[static_cast<std::size_t>(path)]);
  }
  REQUIRE(resharding.jobs().size() == 1);
  const Body fit = resharding.request(resharding.jobs().front());
  CHECK(resharding.fitted({phase, router_of(plan, fit)}));
  const auto parts = resharding.jobs();
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {  // in any order
    CHECK_FALSE(resharding.ready(phase));
    CHECK(resharding.routed(answer(plan, resharding.request(*part))));
  }
  const auto labels = floats_of(std::get<FitRouter>(fit).labels);
  return {labels.begin(), labels.end()};
}

std::vector<Values> made_up_scores(const RunPlan& plan) {
  std::vector<float> first(plan.learner->router_documents().size(), 5.0F);
  std::vector<float> second = first;
  for (std::size_t i = 0; i < first.size(); ++i) (i % 2 == 0 ? first : second)[i] = 4.0F;
  first[0] = second[0] = 3.0F;  // equal: the lower path
  second[2] = 3.5F;
  return {floats(first), floats(second)};
}

}  // namespace

TEST_CASE("a router document's label is the path with the least loss, the lower one of equals", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  Resharding resharding(plan, world.storage, world.archive);
  const auto labels = reshard(resharding, plan, made_up_scores(plan));
  CHECK(labels[0] == 0);
  CHECK(labels[1] == 1);
  CHECK(labels[2] == 1);
  CHECK(labels[4] == 0);
}

TEST_CASE("new shards have every document once, and are there again after a restart", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  Resharding resharding(plan, world.storage, world.archive);
  CHECK(resharding.ready(0));
  CHECK_FALSE(resharding.ready(1));
  reshard(resharding, plan, made_up_scores(plan));
  REQUIRE(resharding.ready(1));
  std::set<DocumentId> train;
  std::size_t validation = 0;
  double sizes = 0;
  for (std::int32_t path = 0; path < kPaths; ++path) {
    const ShardDocuments documents = resharding.documents(1, PathId{path});
    train.insert(documents.train.begin(), documents.train.end());
    validation += documents.validation.size();
    sizes += resharding.sizes(1).sizes[static_cast<std::size_t>(path)];
  }
  const Splits& splits = plan.learner->prepared().splits;
  CHECK(train.size() == splits.train.size());
  double tokens = 0;
  for (const DocumentId id : splits.train) tokens += plan.learner->prepared().tokens->document(id).tokens;
  CHECK(sizes == tokens);
  CHECK(validation == splits.validation.size());
  const Resharding again(plan, world.storage, world.archive);
  REQUIRE(again.ready(1));
  CHECK(again.documents(1, PathId{1}).train == resharding.documents(1, PathId{1}).train);
  CHECK(world.storage.get("model/router").has_value());
}

TEST_CASE("documents are routed some thousand at a time, and come to the shards that one answer would give",
          "[coordinator]") {
  World world("flat:2", 9000);
  const RunPlan plan = world.made.plan();
  REQUIRE(plan.learner->routed_documents() == 9000);
  Resharding resharding(plan, world.storage, world.archive);
  reshard(resharding, plan, made_up_scores(plan));
  REQUIRE(resharding.ready(1));
  const auto bytes = world.storage.get("model/router").value();
  const std::string router(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto shards = plan.learner->make_shards(plan.learner->route(router, 0, 9000), plan.learner->prepared().shards);
  for (std::int32_t path = 0; path < kPaths; ++path) {
    const ShardDocuments documents = resharding.documents(1, PathId{path});
    CHECK(documents.train == shards[static_cast<std::size_t>(path)].train);
    CHECK(documents.validation == shards[static_cast<std::size_t>(path)].validation);
    CHECK_FALSE(documents.train.empty());
  }
}

TEST_CASE("new shards overlap at training, never at evaluation", "[coordinator]") {
  World world("flat:3");  // §2.4.4
  world.made.config.routing.overlap = 2;
  const RunPlan plan = world.made.plan();
  Resharding resharding(plan, world.storage, world.archive);
  auto scores = made_up_scores(plan);
  scores.push_back(scores.front());
  reshard(resharding, plan, scores);
  REQUIRE(resharding.ready(1));
  std::multiset<DocumentId> train;
  std::multiset<DocumentId> validation;
  for (const Shard& shard : resharding.shards(1)) {
    CHECK(std::set(shard.train.begin(), shard.train.end()).size() == shard.train.size());
    train.insert(shard.train.begin(), shard.train.end());
    validation.insert(shard.validation.begin(), shard.validation.end());
  }
  const Splits& splits = plan.learner->prepared().splits;
  for (const DocumentId id : splits.train) CHECK(train.count(id) == 2);
  for (const DocumentId id : splits.validation) CHECK(validation.count(id) == 1);
}

TEST_CASE("of a phase that is over the sizes are kept alone, also after a restart", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  Resharding resharding(plan, world.storage, world.archive);
  const auto scores = made_up_scores(plan);
  reshard(resharding, plan, scores);
  resharding.forget_before(1);
  CHECK(resharding.has_shards(1));
  reshard(resharding, plan, {scores[1], scores[0]}, 3);
  REQUIRE(resharding.ready(2));
  const auto sizes = resharding.sizes();
  const std::string hash = resharding.hash();
  CHECK(sizes.size() == 2);
  resharding.forget_before(2);
  const auto check_forgotten = [&](const Resharding& left) {
    CHECK(left.ready(1));
    CHECK_FALSE(left.has_shards(1));
    CHECK(left.has_shards(2));
    CHECK(left.sizes() == sizes);
    CHECK(left.hash() == hash);
  };
  check_forgotten(resharding);
  check_forgotten(Resharding(plan, world.storage, world.archive));
  CHECK(world.storage.list("shards/") == std::vector<std::string>{"shards/2"});
}

TEST_CASE("answers that come twice, late or for another phase change nothing", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  Resharding resharding(plan, world.storage, world.archive);
  const auto scores = made_up_scores(plan);
  CHECK_FALSE(resharding.fitted({1, "early"}));
  CHECK(resharding.scored(PathId{1}, kVersion, scores[1]));
  CHECK_FALSE(resharding.scored(PathId{1}, kVersion, scores[0]));
  reshard(resharding, plan, scores);
  const auto documents = resharding.documents(1, PathId{0}).train;
  CHECK_FALSE(resharding.scored(PathId{0}, kVersion, scores[1]));
  CHECK_FALSE(resharding.fitted({1, "late"}));
  CHECK_FALSE(resharding.routed({1, 0, floats({})}));
  CHECK(resharding.documents(1, PathId{0}).train == documents);
}

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

TEST_CASE("what is kept of a phase that is ready is forgotten; that of another run is an error", "[coordinator]") {
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

TEST_CASE("a path that no document goes to keeps those that it had", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  const auto& before = plan.learner->prepared().shards;
  const auto all = static_cast<std::size_t>(plan.learner->routed_documents());
  const auto shards = plan.learner->make_shards(std::vector<float>(all, 1.0F), before);
  CHECK(shards[0].train == before[0].train);
  CHECK(shards[1].train.size() == plan.learner->prepared().splits.train.size());
}

TEST_CASE("a router that has gone from the state is an error, not another hash", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  Resharding resharding(plan, world.storage, world.archive);
  CHECK(resharding.hash().empty());
  reshard(resharding, plan, made_up_scores(plan));
  CHECK(resharding.hash().size() >= 32);
  world.storage.remove("model/router");
  CHECK_THROWS_WITH(resharding.hash(), Catch::Contains("model/router: it was written before its shards and is gone"));
}

TEST_CASE("shards of another run are an error", "[coordinator]") {
  World world;
  const RunPlan plan = world.made.plan();
  world.storage.put("shards/1", encode_shards({plan.learner->prepared().shards[0]}));
  CHECK_THROWS_AS(Resharding(plan, world.storage, world.archive), DataError);
}

}  // namespace dipaco::testing
