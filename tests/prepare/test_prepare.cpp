#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "core/base/file.hpp"
#include "core/data/split.hpp"
#include "core/prepare/dense.hpp"
#include "tests/prepare/made_run.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;
using testing::MadeRun;

/// Everything of two preparations that must be equal.
void check_equal(const Prepared& one, const Prepared& two) {
  CHECK(one.hash == two.hash);
  CHECK(one.start.parameters == two.start.parameters);
  CHECK(one.start.first_moment == two.start.first_moment);
  CHECK(one.start.second_moment == two.start.second_moment);
  CHECK(one.start.step == two.start.step);
  CHECK(one.dense_start.nats == two.dense_start.nats);
  CHECK(one.dense_equal_steps->nats == two.dense_equal_steps->nats);
  REQUIRE(one.shards.size() == two.shards.size());
  for (std::size_t path = 0; path < one.shards.size(); ++path) {
    CHECK(one.shards[path].train == two.shards[path].train);
    CHECK(one.shards[path].holdout == two.shards[path].holdout);
    CHECK(one.shards[path].validation == two.shards[path].validation);
  }
}

/// In how many shards a document is, by document.
std::map<DocumentId, int> times(const std::vector<Shard>& shards, std::vector<DocumentId> Shard::*documents) {
  std::map<DocumentId, int> count;
  for (const Shard& shard : shards) {
    for (const DocumentId id : shard.*documents) ++count[id];
  }
  return count;
}

bool all_are(const std::map<DocumentId, int>& count, int expected) {
  return std::all_of(count.begin(), count.end(), [&](const auto& entry) { return entry.second == expected; });
}

TEST_CASE("the second preparation reads what the first made, and trains nothing", "[prepare]") {
  MadeRun run;
  const Prepared first = run.prepare();
  CHECK(run.trainer.steps_done == 50 + 3 * 7);
  CHECK(first.start.step == InnerSteps{50});
  CHECK(run.trainer.totals_seen == 50 + 3 * 7);
  const auto features = run.trainer.feature_calls.load();
  const auto scores = run.trainer.score_calls.load();
  run.progress = [](const PrepareProgress& progress) { FAIL(progress.stage << " is made again"); };
  const Prepared second = run.prepare();
  check_equal(first, second);
  CHECK(run.trainer.steps_done == 50 + 3 * 7);
  CHECK(run.trainer.feature_calls == features);
  CHECK(run.trainer.score_calls == scores);
}

TEST_CASE("threads change no bit of what is prepared, and an own cache neither", "[prepare]") {
  MadeRun one;
  MadeRun other;
  check_equal(one.prepare(1), other.prepare(3));
}

TEST_CASE("two preparations at once in one cache give the same", "[prepare]") {
  MadeRun run;
  std::vector<Prepared> prepared(2);
  {
    std::vector<std::jthread> programs;
    for (Prepared& to : prepared) programs.emplace_back([&] { to = run.prepare(); });
  }
  check_equal(prepared[0], prepared[1]);
  for (const char* stage : {"tokens", "start", "shards", "dense"}) CHECK(run.stages(stage) == 1);
  CHECK(run.stages("making") == 0);
}

TEST_CASE("a key that is changed changes its stage and those behind it alone", "[prepare]") {
  MadeRun run;
  const std::string before = run.prepare().hash;
  const auto made_by = [&](const std::function<void(RunConfig&)>& change) {
    const RunConfig kept = run.config;
    change(run.config);
    std::vector<int> made;
    for (const char* stage : {"tokens", "start", "shards", "dense"}) made.push_back(-run.stages(stage));
    CHECK(run.prepare().hash != before);
    std::size_t i = 0;
    for (const char* stage : {"tokens", "start", "shards", "dense"}) made[i++] += run.stages(stage);
    run.config = kept;
    return made;
  };
  using Made = std::vector<int>;  // of tokens, start, shards, dense
  CHECK(made_by([](RunConfig& c) { c.routing.prefix = 9; }) == Made{1, 1, 1, 1});
  CHECK(made_by([](RunConfig& c) { c.model.vocabulary = 310; }) == Made{1, 1, 1, 1});
  CHECK(made_by([](RunConfig& c) { c.run.seed = 2; }) == Made{0, 1, 1, 1});
  CHECK(made_by([](RunConfig& c) { c.pretrain.steps = 51; }) == Made{0, 1, 1, 1});
  CHECK(made_by([](RunConfig& c) { c.outer.steps = 4; }) == Made{0, 1, 1, 1});  // the cosine ends later
  CHECK(made_by([](RunConfig& c) { c.inner.learning_rate = 1e-3; }) == Made{0, 1, 1, 1});
  CHECK(made_by([](RunConfig& c) { c.routing.overlap = 2; }) == Made{0, 0, 1, 0});
  CHECK(made_by([](RunConfig& c) { c.data.holdout_fraction = 0.2; }) == Made{0, 1, 1, 1});
  CHECK(made_by([](RunConfig& c) { c.topology.levels = "flat:2"; }) == Made{0, 0, 1, 0});
  CHECK(made_by([](RunConfig& c) { c.data.validation_documents = 9; }) == Made{0, 0, 1, 1});
  CHECK(made_by([](RunConfig& c) { c.evaluate.sequence = 96; }) == Made{0, 0, 0, 1});
  CHECK(made_by([](RunConfig& c) { c.evaluate.dense_equal_steps = false; }) == Made{0, 0, 0, 1});
  CHECK(run.prepare().hash == before);
}

TEST_CASE("a key that changes no byte makes no stage again", "[prepare]") {
  MadeRun run;
  const std::string before = run.prepare().hash;
  run.config.outer.momentum = 0.5;
  run.config.evaluate.every = 2;
  run.config.evaluate.sequence = run.config.model.sequence;
  run.config.topology.levels = "flat:4";
  run.config.name = "another";
  CHECK(run.prepare().hash == before);
  fs::rename(run.folder.path() / "corpus.jsonl", run.folder.path() / "renamed.jsonl");
  run.config.data.train = "ren*.jsonl";
  CHECK(run.prepare().hash == before);
  testing::write_corpus(run.folder.path() / "renamed.jsonl", 240, 2);
  CHECK(run.prepare().hash != before);
}

/// The start's tensors by name, and the name of the first in the topology's order.
std::pair<std::map<std::string, std::vector<float>>, std::string> tensors(MadeRun& run) {
  const Prepared prepared = run.prepare();
  const Topology topology = make_topology(run.config.topology, run.config.model, run.folder.path());
  const PathLayout layout = make_layout(run.config.model, topology);
  std::map<std::string, std::vector<float>> values;
  for (const TensorSlot& slot : layout.slots) {
    const auto first = prepared.start.parameters.begin() + static_cast<std::ptrdiff_t>(slot.offset);
    values[slot.name] = {first, first + static_cast<std::ptrdiff_t>(slot.size)};
  }
  return {values, layout.slots[0].name};
}

TEST_CASE("topologies whose flat orders differ share one start, tensor by tensor", "[prepare]") {
  MadeRun run;
  const auto product = tensors(run);
  CHECK(run.made_for.empty());
  run.config.topology.path_specific = "blocks:0;embedding";  // they leave their level for one more
  const auto specific = tensors(run);
  CHECK(product.second != specific.second);
  CHECK(product.first == specific.first);
  CHECK(run.stages("start") == 1);
  CHECK(run.stages("dense") == 1);
}

TEST_CASE("a start is trained in the same order of parameters under every topology", "[prepare]") {
  MadeRun run;
  run.config.topology.path_specific = "blocks:0;embedding";
  const auto specific = tensors(run);
  REQUIRE(run.made_for.size() == 1);
  CHECK(run.made_for[0].slots.front().name == "model.layers.0.input_layernorm.weight");
  CHECK(run.made_for[0].slots.back().name == "model.norm.weight");
  MadeRun fresh;
  CHECK(tensors(fresh).first == specific.first);
  CHECK(fresh.made_for.empty());
}

TEST_CASE("every document is in as many shards as its use says, and no use shares one with another", "[prepare]") {
  MadeRun run;
  const auto overlap = GENERATE(1, 2);
  run.config.routing.overlap = overlap;
  const Prepared prepared = run.prepare();
  REQUIRE(prepared.shards.size() == 4);
  const auto train = times(prepared.shards, &Shard::train);
  const auto holdout = times(prepared.shards, &Shard::holdout);
  const auto validation = times(prepared.shards, &Shard::validation);
  CHECK(all_are(train, overlap));
  CHECK(all_are(holdout, 1));
  CHECK(all_are(validation, 1));
  std::set<DocumentId> all;
  for (const auto& part : {train, holdout, validation}) {
    for (const auto& [id, count] : part) all.insert(id);
  }
  // Disjoint and complete: the router's own documents (1 of 200) are in no shard.
  const auto splits = split_documents(*prepared.tokens, run.config.data, run.config.routing.router_fraction, 0);
  CHECK(all.size() == train.size() + holdout.size() + validation.size());
  CHECK(all.size() == splits.train.size() + splits.validation.size());
  CHECK(validation.size() == splits.validation.size());
  CHECK(prepared.splits.dropped == splits.dropped);
  for (const auto& [id, count] : holdout) CHECK(in_holdout(prepared.tokens->document(id), run.config.data));
  for (const Shard& shard : prepared.shards) {
    CHECK(std::is_sorted(shard.train.begin(), shard.train.end()));
    double tokens = 0;
    for (const DocumentId id : shard.train) tokens += prepared.tokens->document(id).tokens;
    CHECK(size_of(shard, *prepared.tokens) == tokens);
  }
}

TEST_CASE("a dense model learns the documents that paths learn, and no hold-out", "[prepare]") {
  MadeRun run;
  run.config.data.holdout_fraction = 0.2;
  const Prepared prepared = run.prepare();
  std::vector<DocumentId> learned;
  for (const Shard& shard : prepared.shards) learned.insert(learned.end(), shard.train.begin(), shard.train.end());
  std::sort(learned.begin(), learned.end());
  const Corpus corpus{.tokens = prepared.tokens, .splits = prepared.splits};
  CHECK(dense_documents(corpus, run.config.data) == learned);
  CHECK(learned.size() < prepared.splits.train.size());
  // Another share of hold-outs is another start.
  run.config.data.holdout_fraction = 0.1;
  run.prepare();
  CHECK(run.stages("start") == 2);
  CHECK(run.stages("dense") == 2);
}

TEST_CASE("overlap adds documents to the shards of top-1 and takes none away", "[prepare]") {
  MadeRun run;
  const Prepared alone = run.prepare();
  run.config.routing.overlap = 2;
  const Prepared overlapping = run.prepare();
  for (std::size_t path = 0; path < 4; ++path) {
    const auto& more = overlapping.shards[path].train;
    CHECK(std::includes(more.begin(), more.end(), alone.shards[path].train.begin(), alone.shards[path].train.end()));
    CHECK(overlapping.shards[path].validation == alone.shards[path].validation);
    CHECK(overlapping.shards[path].holdout == alone.shards[path].holdout);
  }
}

TEST_CASE("dense scores are those of the start and of as many steps more", "[prepare]") {
  MadeRun run;
  const Prepared prepared = run.prepare();
  const auto mean = [](const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values) sum += static_cast<double>(value);
    return sum / static_cast<double>(values.size());
  };
  // The fake trainer's score is ln V - 0.01 x the mean parameter for each token.
  const double nats = std::log(300.0) - 0.01 * mean(prepared.start.parameters);
  CHECK(prepared.dense_start.perplexity() == Approx(std::exp(nats)));
  CHECK(prepared.dense_equal_steps->perplexity() < prepared.dense_start.perplexity());
  CHECK(prepared.dense_equal_steps->tokens == prepared.dense_start.tokens);
  std::int64_t validation = 0;
  for (const Shard& shard : prepared.shards) validation += static_cast<std::int64_t>(shard.validation.size());
  CHECK(prepared.dense_start.documents == validation);
  run.config.evaluate.dense_equal_steps = false;
  CHECK_FALSE(run.prepare().dense_equal_steps.has_value());
}

TEST_CASE("dense training does as many steps as a path does on average, of those that are drawn", "[prepare]") {
  MadeRun run;  // 3 x 7 steps of all paths
  run.prepare();
  const auto dense_steps = [&](double share, const std::string& levels) {
    run.config.routing.sample_paths = share;
    run.config.topology.levels = levels;
    run.trainer.steps_done = 0;
    run.prepare();
    return run.trainer.steps_done.load();
  };
  CHECK(dense_steps(0.3, "flat:4") == 5);   // one of four at each outer step: 21 / 4
  CHECK(dense_steps(0.1, "flat:2") == 11);  // one of two: 10.5
  CHECK(dense_steps(0.7, "flat:3") == 14);  // two of three
  CHECK(dense_steps(0.9, "flat:3") == 0);   // all of them: the same as before
}

TEST_CASE("documents that are sent by draws need no features", "[prepare]") {
  MadeRun run;
  run.config.routing.method = "random";
  run.prepare();
  CHECK(run.trainer.feature_calls == 0);
}

TEST_CASE("progress is told in slices of pretraining, which change no bit", "[prepare]") {
  MadeRun run;
  std::map<std::string, std::vector<std::int64_t>> told;
  run.progress = [&](const PrepareProgress& progress) {
    told[std::string(progress.stage)].push_back(progress.done);
    if (progress.stage == "pretraining") CHECK(progress.loss.has_value());
  };
  run.prepare();
  CHECK(told["pretraining"] == std::vector<std::int64_t>{20, 40, 50});
  CHECK(told["dense"] == std::vector<std::int64_t>{20, 21});
  CHECK(told["tokens"].back() == 240);
  CHECK(told.contains("features"));
}

}  // namespace
}  // namespace dipaco
