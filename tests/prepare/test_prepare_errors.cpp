#include <catch2/catch.hpp>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/data/tokenizer.hpp"
#include "tests/prepare/made_run.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;
using testing::MadeRun;

template <class Error>
std::string error_of(MadeRun& run) {
  try {
    run.prepare();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("a corpus that is not there or too small is an error that says what to do", "[prepare]") {
  MadeRun run;
  run.config.data.train = "";
  CHECK_THAT(error_of<ConfigError>(run), Catch::Contains("data.train: no text is named"));
  run.config.data.train = "missing*.jsonl";
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("missing*.jsonl"));
  write_file(run.folder.path() / "empty.jsonl", std::string_view(""));
  run.config.data.train = "empty.jsonl";
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("empty.jsonl"));
  run.config.data.train = "corpus.jsonl";
  run.config.data.validation_fraction = 1e-9;
  CHECK_THAT(error_of<DataError>(run),
             Catch::Contains("no document for validation among 240") && Catch::Contains("data.validation_fraction"));
  run.config.data.validation_fraction = 0.2;
  run.config.routing.prefix = 5000;
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("5000"));
}

TEST_CASE("fewer documents than paths, and paths left without one, are errors that say what to do", "[prepare]") {
  MadeRun run(12);
  run.config.model.vocabulary = 280;
  run.config.topology.levels = "flat:40";
  CHECK_THAT(error_of<ConfigError>(run), Catch::Contains("router documents for 40 paths"));
  run.config.topology.levels = "20x2";
  run.config.routing.method = "product_k_means";
  CHECK_THAT(error_of<ConfigError>(run), Catch::Contains("router documents for 20 experts of a level"));
  CHECK(run.trainer.steps_done == 0);  // it is said before the start is trained
  run.config.topology.levels = "flat:40";
  run.config.routing.method = "random";
  CHECK_THAT(error_of<ConfigError>(run),
             Catch::Contains("of 40 got no train document") && Catch::Contains("fewer paths in topology.levels"));
  CHECK(run.stages("shards") == 0);
}

TEST_CASE("hold-outs that leave nothing to learn are an error that names their share", "[prepare]") {
  MadeRun run(12);
  run.config.model.vocabulary = 280;
  run.config.data.holdout_fraction = 0.999999;
  CHECK_THAT(error_of<ConfigError>(run), Catch::Contains("data.holdout_fraction=0.999999: all") &&
                                             Catch::Contains("train documents are hold-outs"));
}

TEST_CASE("an overlap that is no number of paths is an error", "[prepare]") {
  MadeRun run;
  for (const std::int64_t overlap : {0, 5, -1}) {
    run.config.routing.overlap = overlap;
    CHECK_THAT(error_of<ConfigError>(run), Catch::Contains("routing.overlap=" + std::to_string(overlap)));
  }
}

TEST_CASE("a damaged file of the cache is a data error that names it", "[prepare]") {
  for (const char* name : {"tokens/tokens.bin", "tokens/tokenizer.model", "start/start.ckpt", "shards/router.bin",
                           "shards/shards.bin", "dense/dense.ckpt"}) {
    MadeRun run(60);
    run.config.model.vocabulary = 280;
    run.config.pretrain.steps = 1;
    run.prepare();
    const fs::path relative(name);
    const fs::path file = run.stage(relative.parent_path().string()) / relative.filename();
    auto bytes = read_file(file);
    bytes[bytes.size() / 2] ^= std::byte{1};
    write_file(file, bytes);
    CHECK_THAT(error_of<DataError>(run), Catch::StartsWith(file.string()) && Catch::Contains("prepare again"));
  }
}

TEST_CASE("a tokenizer may be given, if the model has as many tokens", "[prepare]") {
  MadeRun run;
  const Prepared trained = run.prepare();
  fs::copy_file(trained.tokenizer, run.folder.path() / "given.model");
  run.config.data.tokenizer = "given.model";
  const Prepared given = run.prepare();
  CHECK(given.start.parameters == trained.start.parameters);
  CHECK(read_file(given.tokenizer) == read_file(trained.tokenizer));
  run.config.model.vocabulary = 290;
  CHECK_THAT(error_of<ConfigError>(run),
             Catch::Contains("given.model has 300 tokens") && Catch::Contains("set model.vocabulary=300"));
  run.config.data.tokenizer = "none.model";
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("none.model"));
}

TEST_CASE("a start made before is taken if it fits", "[prepare]") {
  MadeRun run;
  const Prepared made = run.prepare();
  const auto steps = run.trainer.steps_done.load();
  run.config.pretrain.from = fs::relative(run.stage("start"), run.folder.path()).string();
  const Prepared taken = run.prepare();
  CHECK(taken.start.parameters == made.start.parameters);
  CHECK(taken.start.second_moment == made.start.second_moment);
  CHECK(taken.start.step == made.start.step);
  CHECK(run.trainer.steps_done == steps + 3 * 7);  // dense training alone
  // Features and losses are of a precision, though the start was made with another.
  const int shards = run.stages("shards");
  const int dense = run.stages("dense");
  run.config.inner.precision = "bf16";
  run.config.evaluate.dense_equal_steps = false;
  CHECK(run.prepare().hash != taken.hash);
  CHECK(run.stages("shards") == shards + 1);
  CHECK(run.stages("dense") == dense + 1);
  run.config.inner.precision = "fp32";
  run.prepare();
  CHECK(run.stages("dense") == dense + 2);
  run.config.evaluate.dense_equal_steps = true;
  const std::string folder = run.config.pretrain.from;

  run.config.pretrain.steps = 49;
  CHECK_THAT(error_of<ConfigError>(run), Catch::Contains("set pretrain.steps=50"));
  run.config.pretrain.steps = 50;
  run.config.model.rope_base = 500;
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("model.rope_base=10000") && Catch::Contains("set [model]"));
  run.config.model.rope_base = 10000;
  // Of another text nothing is known; of the same, it has learned documents that this run would judge itself by.
  const auto split = run.config.data;
  run.config.data.validation_fraction = split.validation_fraction + 0.1;
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("data.validation_fraction=") && Catch::Contains("same text"));
  run.config.data = split;
  run.config.data.holdout_fraction = split.holdout_fraction + 0.1;
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("data.holdout_fraction=") && Catch::Contains("same text"));
  write_file(run.folder.path() / "given.model", read_file(made.tokenizer));
  run.config.data.tokenizer = "given.model";
  testing::write_corpus(run.folder.path() / "corpus.jsonl", 250);
  CHECK(run.prepare().start.parameters == made.start.parameters);
  run.config.data = split;
  testing::write_corpus(run.folder.path() / "corpus.jsonl", 240, 2);  // trains another tokenizer
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("set data.tokenizer"));
  testing::write_corpus(run.folder.path() / "corpus.jsonl", 240);
  run.config.pretrain.from = "nowhere";
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("pretrain.from=nowhere"));
  run.config.pretrain.from = "half.ckpt";
  auto bytes = read_file(run.folder.path() / folder / "start.ckpt");
  bytes.resize(bytes.size() / 2);
  write_file(run.folder.path() / "half.ckpt", bytes);
  CHECK_THAT(error_of<DataError>(run), Catch::Contains("half.ckpt: truncated or damaged"));
}

}  // namespace
}  // namespace dipaco
