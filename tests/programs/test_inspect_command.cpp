#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "tests/programs/finished_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;
using nlohmann::json;

json inspected(const FinishedTestRun& run, const std::string& subject, std::vector<std::string> more = {}) {
  more.emplace_back("--format=json");
  const Outcome outcome = run.dipaco({"inspect", subject}, more);
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.output);
}

void check_failure(const Outcome& outcome, int status, const std::string& why) {
  CHECK(outcome.status == status);
  CHECK_THAT(outcome.error, Contains(why));
  CHECK(outcome.output.empty());
}

}  // namespace

TEST_CASE("dipaco inspect shards counts documents, and purity by their domains or by given labels", "[programs]") {
  const FinishedTestRun run;
  const json found = inspected(run, "shards");
  REQUIRE(found["shards"].size() == 4);
  std::int64_t train = 0;
  std::int64_t all = 0;
  std::int64_t alike = 0;
  for (const json& shard : found["shards"]) {
    train += shard["train"].get<std::int64_t>();
    all += shard["train"].get<std::int64_t>() + shard["holdout"].get<std::int64_t>();
    all += shard["validation"].get<std::int64_t>();
    alike += shard.value("label_documents", std::int64_t{0});
    CHECK_FALSE(shard.contains("nearest"));
  }
  CHECK(all <= 60);  // the others are the router's alone
  CHECK(found["purity"] == static_cast<double>(alike) / static_cast<double>(train));
  CHECK(found["effective_shards"] == Approx(std::exp(found["entropy_nats"].get<double>())));

  std::string labels;
  for (int i = 0; i < 60; ++i) labels += "same\n";
  write_file(run.file("labels"), labels);
  CHECK(inspected(run, "shards", {"--labels=" + run.file("labels").string()})["purity"] == 1.0);
  write_file(run.file("labels"), std::string(60, '\n'));
  const json unlabelled = inspected(run, "shards", {"--labels=" + run.file("labels").string()});
  CHECK_FALSE(unlabelled.contains("purity"));
  CHECK_FALSE(unlabelled["shards"][0].contains("label"));
  write_file(run.file("labels"), labels + "one more\n");
  check_failure(run.dipaco({"inspect", "shards"}, {"--labels=" + run.file("labels").string()}), 3,
                "labels: 61 labels for 60 documents");
  CHECK_THAT(run.dipaco({"inspect", "shards"}).output, Contains("\npurity         ") && Contains("\nentropy  "));
}

TEST_CASE("dipaco inspect shards says in words what a path is about", "[programs]") {
  const FinishedTestRun run;
  const json found = inspected(run, "shards");
  const std::string corpus = read_text(run.file("corpus.jsonl"));
  std::size_t words = 0;
  for (const json& shard : found["shards"]) {
    CHECK(shard["words"].size() <= 8);
    for (const json& word : shard["words"]) {
      CHECK_THAT(corpus, Contains(word.get<std::string>()));
      ++words;
    }
    std::int64_t labelled = 0;
    for (const auto& [label, documents] : shard["labels"].items()) labelled += documents.get<std::int64_t>();
    CHECK(labelled == shard["train"]);
  }
  CHECK(words > 8);
  const std::string text = run.dipaco({"inspect", "shards"}).output;
  CHECK_THAT(text, Contains("\npath 0    mostly d") && Contains(" documents)") && Contains("words: "));
  CHECK_THAT(run.dipaco({"inspect", "shards"}, {"--nearest=1"}).output,
             Contains("best documents of path 0, the best first") && !Contains("score "));
}

TEST_CASE("dipaco inspect shards shows the best documents of each path, best first", "[programs]") {
  const FinishedTestRun run;
  const json found = inspected(run, "shards", {"--nearest=2"});
  for (const json& shard : found["shards"]) {
    const json& nearest = shard["nearest"];
    REQUIRE(nearest.size() == std::min<std::size_t>(2, shard["train"]));
    if (nearest.size() < 2) continue;
    CHECK(nearest[0]["score"] >= nearest[1]["score"]);
    CHECK(nearest[0]["document"] != nearest[1]["document"]);
    // The best two of all: no other document of the shard has a higher score.
    const json every =
        inspected(run, "shards", {"--nearest=100"})["shards"][shard["path"].get<std::size_t>()]["nearest"];
    CHECK(every.size() == shard["train"]);
    CHECK(every[0] == nearest[0]);
    CHECK(every[1] == nearest[1]);
    for (const json& other : every) CHECK(other["score"] <= nearest[0]["score"]);
    // The document's line in the corpus, from its first letter on.
    const std::string begin = nearest[0]["begin"];
    CHECK(begin.size() > 20);
    CHECK_THAT(read_text(run.file("corpus.jsonl")), Contains("\"" + begin));
  }
}

TEST_CASE("dipaco inspect modules measures modules against the start and against one another", "[programs]") {
  const FinishedTestRun run;
  const json levels = inspected(run, "modules")["levels"];
  REQUIRE(levels.size() == 2);
  for (std::size_t l = 0; l < 2; ++l) {
    const auto parameters = [&](int expert) {
      const std::string name = "module-" + std::to_string(l) + "." + std::to_string(expert);
      return decode_checkpoint(read_file(run.model(name)), name).array("parameters", name);
    };
    const auto a = parameters(0);
    const auto b = parameters(1);
    double norm = 0;
    double between = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      norm += static_cast<double>(a[i]) * static_cast<double>(a[i]);
      between += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    }
    const json& level = levels[l];
    CHECK(level["experts"][0]["norm"] == Approx(std::sqrt(norm)));
    CHECK(level["between_experts"][0][1] == Approx(std::sqrt(between)));
    CHECK(level["experts"][1]["from_start"] > 0.0);
    CHECK(level["experts"][1]["from_start_relative"].get<double>() * level["start_norm"].get<double>() ==
          Approx(level["experts"][1]["from_start"].get<double>()));
  }
  CHECK_THAT(run.dipaco({"inspect", "modules"}).output, Contains("\n1.1 ") && Contains("\nlevel 1, between experts: "));
}

TEST_CASE("dipaco inspect says what it can show, and what options belong to it", "[programs]") {
  check_failure(run_built("dipaco", {"inspect"}), 2, "nothing to inspect");
  check_failure(run_built("dipaco", {"inspect", "shard", "a"}), 2, "did you mean \"shards\"?");
  check_failure(run_built("dipaco", {"inspect", "modules"}), 2, "no folder");
  check_failure(run_built("dipaco", {"inspect", "modules", "a", "--nearest=3"}), 2, "--nearest is about shards");
  check_failure(run_built("dipaco", {"inspect", "modules", "a", "--device=cpu"}), 2, "--device is about shards");
  const TemporaryFolder folder;
  check_failure(run_built("dipaco", {"inspect", "shards", folder.path().string()}), 2, "run.cfg is missing");
}

}  // namespace dipaco::testing
