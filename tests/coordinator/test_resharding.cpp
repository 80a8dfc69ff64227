#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "core/base/error.hpp"
#include "core/prepare/shard_file.hpp"
#include "tests/coordinator/resharding_world.hpp"

namespace dipaco::testing {

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
