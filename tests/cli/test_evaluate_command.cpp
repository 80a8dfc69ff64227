#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "core/base/file.hpp"
#include "core/base/random.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/routing/random_router.hpp"
#include "tests/cli/finished_run.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;
using nlohmann::json;

json evaluated(const FinishedTestRun& run, std::vector<std::string> more = {}) {
  more.emplace_back("--format=json");
  const Outcome outcome = run.dipaco({"evaluate"}, more);
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.output);
}

void check_failure(const FinishedTestRun& run, int status, const std::string& why,
                   const std::vector<std::string>& more = {}) {
  const Outcome outcome = run.dipaco({"evaluate"}, more);
  CHECK(outcome.status == status);
  CHECK_THAT(outcome.error, Contains(why));
  CHECK(outcome.output.empty());
}

/// Changes a file of the model for as long as it lives.
class Changed {
 public:
  explicit Changed(std::filesystem::path file) : file_(std::move(file)), bytes_(read_file(file_)) {}
  ~Changed() { write_file(file_, bytes_); }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::filesystem::path file_;
  std::vector<std::byte> bytes_;
};

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

TEST_CASE("dipaco evaluate gives the perplexity that the run ended with", "[cli]") {
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

TEST_CASE("early stopping leaves versions of paths that are not the last, and evaluate reads them", "[cli]") {
  const FinishedTestRun run({"evaluate.early_stopping=on", "inner.learning_rate=0.5"});
  // With such a rate the loss on the hold-outs rises from some outer step on.
  CHECK_THAT(read_text(run.model("paths")), !Contains("0 4\n1 4\n2 4\n3 4\n"));
  const double best = evaluated(run)["perplexity"];
  {
    const Changed paths(run.model("paths"));
    write_file(run.model("paths"), "0 4\n1 4\n2 4\n3 4\n");
    CHECK(evaluated(run)["perplexity"] != best);
    std::filesystem::remove(run.model("paths"));
    check_failure(run, 3, "paths");
  }
  CHECK(evaluated(run)["perplexity"] == best);
}

TEST_CASE("dipaco evaluate tells of paths and domains what adds up to the whole", "[cli]") {
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

TEST_CASE("dipaco evaluate routes every W tokens by a router that it trains once", "[cli]") {
  const FinishedTestRun run;
  const Outcome first = run.dipaco({"evaluate"}, {"--window=16", "--router-steps=30", "--format=json"});
  INFO(first.error);
  REQUIRE(first.status == 0);
  CHECK_THAT(first.error, Contains("router 30/30, loss "));
  const json found = json::parse(first.output);
  CHECK(found["window"] == 16);
  CHECK(found["recomputed_share"] <= 1);
  const Outcome again = run.dipaco({"evaluate"}, {"--window=16", "--router-steps=30", "--format=json"});
  CHECK(again.output == first.output);
  CHECK_THAT(again.error, !Contains("router"));
  const json whole = evaluated(run, {"--window=100000", "--router-steps=30"});
  CHECK(whole["switches"] == 0);
  CHECK(whole["recomputed_tokens"] == 0);
  CHECK(whole["router_tokens"] == 0);
  CHECK(found["router_tokens"] > 0);
  CHECK(whole["perplexity"].get<double>() == Approx(evaluated(run)["perplexity"].get<double>()));
  check_failure(run, 2, "--window 15: write", {"--window=15"});
  check_failure(run, 2, "--sequence 8: nothing of a row", {"--sequence=8"});
}

TEST_CASE("documents that change what they are about are foretold better by a path every 16 tokens", "[cli]") {
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

TEST_CASE("a finished run is evaluated without what it was prepared with, and on other text without its own", "[cli]") {
  const FinishedTestRun run;
  write_file(run.file("other.jsonl"), to_jsonl(made_up_text({.documents = 7, .seed = 2})));
  const std::string other = "--data=" + run.file("other.jsonl").string();
  const json before = evaluated(run);
  const json before_other = evaluated(run, {other});
  std::filesystem::remove_all(run.file("cache"));
  const Outcome again = run.dipaco({"evaluate"}, {"--format=json"});
  CHECK(json::parse(again.output) == before);
  CHECK_THAT(again.error, !Contains("pretraining"));
  std::filesystem::remove_all(run.file("cache"));
  std::filesystem::remove(run.file("corpus.jsonl"));
  CHECK(evaluated(run, {other}) == before_other);
  CHECK(run.dipaco({"inspect", "modules"}).status == 0);
  check_failure(run, 3, "corpus.jsonl");
}

TEST_CASE("dipaco evaluate scores other text with the run's tokenizer", "[cli]") {
  const FinishedTestRun run;
  write_file(run.file("other.jsonl"), to_jsonl(made_up_text({.documents = 7, .seed = 2})) + "{\"text\": \"a\"}\n");
  const json found = evaluated(run, {"--data=" + run.file("other.jsonl").string()});
  CHECK(found["documents"] == 7);
  CHECK(found["dropped_documents"] == 1);
  CHECK(found["domains"]["d0"]["documents"] == 3);
  write_file(run.file("short.jsonl"), "{\"text\": \"a\"}\n");
  check_failure(run, 3, "none of 1 documents has a token behind", {"--data=" + run.file("short.jsonl").string()});
  // The run's own text, all of it: other documents, scored the same way.
  CHECK(evaluated(run, {"--data=" + run.file("corpus.jsonl").string()})["documents"] == 60);
}

TEST_CASE("documents of which only the ends are scored have a perplexity and no bits per byte", "[cli]") {
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

TEST_CASE("dipaco evaluate refuses what is no finished run, and says why", "[cli]") {
  const FinishedTestRun run;
  const Outcome none = run_built("dipaco", {"evaluate"});
  CHECK(none.status == 2);
  CHECK_THAT(none.error, Contains("name the --out folder of a run"));
  const Outcome elsewhere = run_built("dipaco", {"evaluate", run.file("").string()});
  CHECK(elsewhere.status == 2);
  CHECK_THAT(elsewhere.error, Contains("run.cfg is missing"));
  std::filesystem::rename(run.file("run") / "summary.json", run.file("kept"));
  check_failure(run, 2, "the run has not finished");
  write_file(run.file("run") / "summary.json", "{\"learned\": false}");
  check_failure(run, 2, "learned nothing");
  write_file(run.file("run") / "summary.json", "{\"tokens_hash\": \"0123\"}");
  check_failure(run, 3, "learned from tokens 0123");
  write_file(run.file("run") / "summary.json", "{");
  check_failure(run, 3, "summary.json");
}

TEST_CASE("dipaco evaluate refuses files that are not the run's, and says which", "[cli]") {
  const FinishedTestRun run;
  {
    const Changed router(run.model("router"));
    write_file(run.model("router"), RandomRouter(5, 1).encode());
    check_failure(run, 3, "router: a router to 5 paths, and this topology has 4");
  }
  {
    // An expert of the last level that some document's path goes through: it is read. Path 2 a + b has experts a and b.
    const auto documents = evaluated(run)["path_documents"].get<std::vector<int>>();
    const bool even = documents[0] + documents[2] > 0;
    const std::string name = even ? "module-1.0" : "module-1.1";
    const Changed module(run.model(name));
    Checkpoint checkpoint = decode_checkpoint(module.bytes(), "module");
    checkpoint.arrays["parameters"][3] = std::numeric_limits<float>::quiet_NaN();
    write_file(run.model(name), encode(checkpoint));
    check_failure(run, 3, name + ": a parameter is not finite");
    checkpoint.arrays["parameters"].resize(7);
    write_file(run.model(name), encode(checkpoint));
    check_failure(run, 3, name + ": 7 parameters and this model's module has ");
    write_file(run.model(name), read_file(run.model(even ? "module-1.1" : "module-1.0")));
    check_failure(run, 3, name + ": its expert is ");
    std::filesystem::remove(run.model(name));
    check_failure(run, 3, name + " is missing");
  }
  {
    const Changed tokenizer(run.model("tokenizer.model"));
    write_file(run.model("tokenizer.model"), "another");
    check_failure(run, 3, "model/start: its tokenizer is ");
    check_failure(run, 3, "put the run's own start and tokenizer.model back");
  }
  for (const char* paths : {"0 4\n1 4\n", "0 4\n1 4\n2 5\n3 4\n", "0 4\n2 4\n1 4\n3 4\n", "0 4\n1\n"}) {
    const Changed file(run.model("paths"));
    write_file(run.model("paths"), paths);
    check_failure(run, 3, "model/paths: ");
  }
  CHECK(run.dipaco({"evaluate"}).status == 0);
}

}  // namespace dipaco::testing
