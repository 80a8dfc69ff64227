#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "core/base/file.hpp"
#include "core/base/random.hpp"
#include "tests/programs/finished_run.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;
using nlohmann::json;

/// `count` of a domain's 40 words of four letters, which no other domain has.
std::string words_of(std::uint64_t domain, std::uint64_t count, std::uint64_t seed) {
  constexpr std::array<std::string_view, 2> kLetters{"abcdefgh", "mnopqrst"};
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t word = draw_below(40, seed, Draw::jitter, i, domain);
    for (std::uint64_t k = 0; k < 4; ++k) text += kLetters[domain][draw_below(8, word, Draw::jitter, domain, k)];
    text += ' ';
  }
  return text;
}

/// Documents of one domain each, but every so many of both in turn, 20 words at a time.
std::string changing_text(std::uint64_t documents, std::uint64_t every, std::uint64_t seed) {
  std::vector<MadeUpDocument> text(documents);
  for (std::uint64_t i = 0; i < documents; ++i) {
    for (std::uint64_t part = 0; part < 5; ++part) {
      const std::uint64_t domain = i % every == 0 ? i / every + part : i;
      text[i].text += words_of(domain % 2, 20, seed * 100'000 + i * 10 + part);
    }
  }
  return to_jsonl(text);
}

}  // namespace

TEST_CASE("dipaco evaluate gives the perplexity that the run ended with", "[programs]") {
  const std::vector<std::vector<std::string>> variants{
      {},
      {"routing.reshard_at=1,2", "topology.path_specific=blocks:0", "evaluate.sequence=64"},
      {"evaluate.early_stopping=on", "inner.learning_rate=0.5", "topology.path_specific=blocks:0"}};
  for (const auto& set : variants) {
    const FinishedTestRun run(set);
    const json summary = json::parse(read_text(run.file("run") / "summary.json"));
    const json found = evaluated(run);
    CAPTURE(set, read_text(run.model("paths")));
    CHECK(found["perplexity"] == summary["validation_perplexity"]);
    CHECK(found["bits_per_byte"] == summary["validation_bits_per_byte"]);
    CHECK(found["tokens"] == summary["validation_tokens"]);
    CHECK(found["documents"] == summary["validation_documents"]);
  }
}

TEST_CASE("dipaco evaluate has the dense start, and dense training, beside the paths", "[programs]") {
  const FinishedTestRun run({"evaluate.dense_equal_steps=on"});
  const json summary = json::parse(read_text(run.file("run") / "summary.json"));
  const json found = evaluated(run);
  CHECK(found["dense_start_perplexity"].get<double>() == Approx(summary["dense_validation_perplexity"].get<double>()));
  CHECK(found["dense_start_bits_per_byte"].get<double>() > 0);
  CHECK(found["dense_equal_steps_perplexity"] == summary["dense_equal_steps_validation_perplexity"]);
  CHECK_THAT(run.dipaco({"evaluate"}).output, Contains("\ndense start    ") && Contains("\ndense trained  "));
  // Of other text, what was trained densely is not known: its parameters are not kept.
  const json other = evaluated(run, {"--data=" + run.file("corpus.jsonl").string()});
  CHECK(other["dense_start_perplexity"] != found["dense_start_perplexity"]);
  CHECK_FALSE(other.contains("dense_equal_steps_perplexity"));
}

TEST_CASE("a run that ends above its start says so, with the key that helps", "[programs]") {
  // A rate that does harm, and 12 outer steps.
  const FinishedTestRun run({"inner.learning_rate=0.5", "inner.warmup=0"});
  const json summary = json::parse(read_text(run.file("run") / "summary.json"));
  REQUIRE(summary["validation_perplexity"] > summary["dense_validation_perplexity"]);
  CHECK(summary["shard_passes"].get<double>() > 0);
  CHECK_THAT(summary["advice"].get<std::string>(), Contains("the model is worse than its dense start") &&
                                                       Contains(" times through its shard") && Contains("outer."));
}

TEST_CASE("dipaco evaluate tells of paths and domains what adds up to the whole", "[programs]") {
  const FinishedTestRun run;
  const json found = evaluated(run);
  const auto paths = found["path_documents"].get<std::vector<int>>();
  CHECK(paths.size() == 4);
  CHECK(std::accumulate(paths.begin(), paths.end(), 0) == found["documents"]);
  double nats = 0;
  double tokens = 0;
  std::size_t bits = 0;
  for (const auto& [domain, part] : found["domains"].items()) {
    CHECK_THAT(domain, Catch::StartsWith("d"));
    nats += part["tokens"].get<double>() * std::log(part["perplexity"].get<double>());
    tokens += part["tokens"].get<double>();
    bits += part["bits_per_byte"].get<double>() > 0 ? 1 : 0;
  }
  CHECK(bits == found["domains"].size());
  CHECK(tokens == found["tokens"]);
  CHECK(std::exp(nats / tokens) == Approx(found["perplexity"].get<double>()));
  const Outcome text = run.dipaco({"evaluate"});
  CHECK_THAT(text.output, Contains("perplexity     ") && Contains("\npaths          4, each with ") &&
                              Contains("\nentropy        ") && Contains("  bits per byte  domain\n"));
}

TEST_CASE("dipaco evaluate routes every W tokens by a router that it trains once", "[programs]") {
  const FinishedTestRun run;
  const Outcome first = run.dipaco({"evaluate"}, {"--window=16", "--router-steps=30", "--format=json"});
  INFO(first.error);
  REQUIRE(first.status == 0);
  CHECK_THAT(first.error, Contains("router 30/30, loss "));
  const json found = json::parse(first.output);
  CHECK(found["window"] == 16);
  CHECK(found["switches"] > 0);
  const auto recomputed = found["recomputed_tokens"].get<double>();
  CHECK(found["recomputed_share"].get<double>() < recomputed / (recomputed + found["tokens"].get<double>()));
  const Outcome again = run.dipaco({"evaluate"}, {"--window=16", "--router-steps=30", "--format=json"});
  CHECK(again.output == first.output);
  CHECK_THAT(again.error, !Contains("router"));
  const json whole = evaluated(run, {"--window=100000", "--router-steps=30"});
  CHECK(whole["switches"] == 0);
  CHECK(whole["recomputed_tokens"] == 0);
  CHECK(whole["router_tokens"] == 0);
  CHECK(found["router_tokens"] > 0);
  CHECK(whole["perplexity"].get<double>() == Approx(evaluated(run)["perplexity"].get<double>()));
  check_evaluation_fails(run, 2, "--window 15: write", {"--window=15"});
  check_evaluation_fails(run, 2, "abacus", {"--device=abacus"});
  check_evaluation_fails(run, 2, "--look-ahead is about the router of a window", {"--look-ahead=16"});
  check_evaluation_fails(run, 2, "--router-steps is about the router of a window",
                         {"--router-steps=16", "--window=sequence"});
  check_evaluation_fails(run, 2, "--sequence 8: nothing of a row", {"--sequence=8"});
}

TEST_CASE("documents that change what they are about are foretold better by a path every 16 tokens", "[programs]") {
  const TemporaryFolder folder;
  const std::string train = (folder.path() / "train.jsonl").string();
  write_file(train, changing_text(600, 10, 1));
  const FinishedTestRun run({"data.train=" + train, "data.validation_fraction=0.05", "topology.levels=flat:2",
                             "model.hidden=32", "model.head_size=16", "model.vocabulary=320", "model.sequence=96",
                             "evaluate.sequence=512", "pretrain.steps=10", "inner.steps=30", "inner.batch=8",
                             "inner.learning_rate=5e-3", "inner.warmup=5", "outer.learning_rate=1",
                             "outer.momentum=0"});
  const std::string other = (folder.path() / "other.jsonl").string();
  write_file(other, changing_text(20, 1, 5));
  const json once = evaluated(run, {"--data=" + other});
  const json windows = evaluated(run, {"--data=" + other, "--window=16", "--look-ahead=16", "--router-steps=300"});
  CAPTURE(once, windows);
  CHECK(windows["switches"] > 20);
  CHECK(windows["perplexity"].get<double>() < 0.95 * once["perplexity"].get<double>());
}

TEST_CASE("a finished run is evaluated without what it was prepared with, and on other text without its own",
          "[programs]") {
  const FinishedTestRun run;
  write_file(run.file("other.jsonl"), to_jsonl(made_up_text({.documents = 7, .seed = 2})));
  const std::string other = "--data=" + run.file("other.jsonl").string();
  const json before = evaluated(run);
  const json before_other = evaluated(run, {other});
  const json windows_of_other = evaluated(run, {other, "--window=16", "--router-steps=30"});
  std::filesystem::remove_all(run.file("cache"));
  const Outcome again = run.dipaco({"evaluate"}, {"--format=json"});
  CHECK(json::parse(again.output) == before);
  CHECK_THAT(again.error, !Contains("pretraining"));
  std::filesystem::remove_all(run.file("cache"));
  std::filesystem::remove(run.file("corpus.jsonl"));
  CHECK(evaluated(run, {other}) == before_other);
  CHECK(evaluated(run, {other, "--window=16", "--router-steps=30"}) == windows_of_other);  // by the router that is kept
  check_evaluation_fails(run, 3, "corpus.jsonl", {other, "--window=16", "--router-steps=31"});
  CHECK(run.dipaco({"inspect", "modules"}).status == 0);
  check_evaluation_fails(run, 3, "corpus.jsonl");
}

TEST_CASE("dipaco evaluate scores other text with the run's tokenizer", "[programs]") {
  const FinishedTestRun run;
  write_file(run.file("other.jsonl"), to_jsonl(made_up_text({.documents = 7, .seed = 2})) + "{\"text\": \"a\"}\n");
  const json found = evaluated(run, {"--data=" + run.file("other.jsonl").string()});
  CHECK(found["documents"] == 7);
  CHECK(found["dropped_documents"] == 1);
  CHECK(found["domains"]["d0"]["documents"] == 3);
  write_file(run.file("short.jsonl"), "{\"text\": \"a\"}\n");
  check_evaluation_fails(run, 3, "none of 1 documents has a token behind",
                         {"--data=" + run.file("short.jsonl").string()});
  // The run's own text, all of it: other documents, scored the same way.
  CHECK(evaluated(run, {"--data=" + run.file("corpus.jsonl").string()})["documents"] == 60);
}

TEST_CASE("documents of which only the ends are scored have a perplexity and no bits per byte", "[programs]") {
  const FinishedTestRun run;
  // Of "7", "77", ..., the first that is not dropped as too short has its end behind the prefix and nothing else.
  std::vector<MadeUpDocument> sevens;
  for (std::size_t i = 1; i <= 40; ++i) sevens.push_back({.text = std::string(i, '7'), .domain = "ends"});
  write_file(run.file("sevens.jsonl"), to_jsonl(sevens));
  const std::size_t dropped = evaluated(run, {"--data=" + run.file("sevens.jsonl").string()})["dropped_documents"];
  REQUIRE(dropped < sevens.size());
  write_file(run.file("end.jsonl"), to_jsonl({sevens[dropped]}));
  const std::string end = "--data=" + run.file("end.jsonl").string();
  const json found = evaluated(run, {end});
  CHECK(found["tokens"] == 1);
  CHECK(found["perplexity"] == found["domains"]["ends"]["perplexity"]);
  CHECK_FALSE(found.contains("bits_per_byte"));
  CHECK_FALSE(found["domains"]["ends"].contains("bits_per_byte"));
  const Outcome text = run.dipaco({"evaluate"}, {end});
  CHECK_THAT(text.output,
             Catch::StartsWith("perplexity     ") && Contains("-  ends\n") && !Contains(" bits per byte\n"));
}

}  // namespace dipaco::testing
