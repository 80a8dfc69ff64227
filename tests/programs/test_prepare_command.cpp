#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using dipaco::testing::Outcome;
using dipaco::testing::run_built;
using dipaco::testing::run_until;

namespace {

/// A run file and its corpus of 60 made-up documents in a folder, and what `dipaco prepare` is called with.
struct MadeUpPrepare {
  MadeUpPrepare() {
    write_file(folder.path() / "corpus.jsonl", to_jsonl(made_up_text({})));
    write_file(folder.path() / "a.cfg",
               "[model]\nblocks=2\nhidden=16\nheads=2\nhead_size=8\nvocabulary=300\nsequence=48\n"
               "[topology]\nlevels=2x2\n[data]\ntrain=corpus.jsonl\nvalidation_fraction=0.2\n[pretrain]\nsteps=4\n"
               "[routing]\nprefix=8\n[inner]\nsteps=2\nbatch=2\nwarmup=1\n[outer]\nsteps=1\n");
  }

  std::vector<std::string> arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> all{
        "prepare",    "--run", (folder.path() / "a.cfg").string(), "--out", (folder.path() / "cache").string(),
        "--threads=1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("dipaco prepare says what it made, and says the same when it finds it made", "[programs]") {
  const MadeUpPrepare made;
  const Outcome first = run_built("dipaco", made.arguments({"--format=json"}));
  INFO(first.error);
  REQUIRE(first.status == 0);
  CHECK_THAT(first.error, Catch::Contains("pretraining 4/4, loss "));
  const auto facts = nlohmann::json::parse(first.output);
  CHECK(facts["documents"] == 60);
  CHECK(facts["shard_documents"].size() == 4);
  CHECK(facts["dense_validation_perplexity"] > 1.0);
  CHECK(facts.contains("dense_equal_steps_validation_perplexity"));
  CHECK(facts["prepared_hash"].get<std::string>().size() == 32);

  const Outcome again = run_built("dipaco", made.arguments({"--format=json", "--progress=off"}));
  CHECK(again.output == first.output);
  CHECK(again.error.empty());
  const Outcome text = run_built("dipaco", made.arguments({}));
  CHECK_THAT(text.output, Catch::Contains("\ndocuments      60, 0 of them dropped as too short\n"));
  CHECK_THAT(text.output, Catch::Contains(facts["prepared_hash"].get<std::string>()));
}

TEST_CASE("parts of dipaco prepare, joined twice, end with the hash of one process", "[programs]") {
  const MadeUpPrepare alone;
  const auto hash =
      nlohmann::json::parse(run_built("dipaco", alone.arguments({"--format=json"})).output)["prepared_hash"];
  const MadeUpPrepare made;
  const auto call = [&](const std::vector<std::string>& more) {
    const Outcome outcome = run_built("dipaco", made.arguments(more));
    INFO(outcome.error);
    REQUIRE(outcome.status == 0);
    return outcome.output;
  };
  CHECK_THAT(call({"--part=0/2"}), Catch::Contains("tokenized      1 of its 1 files, 0 were there; 1 in all\n"));
  CHECK_THAT(call({"--part=1/2"}), Catch::Contains("tokenized      0 of its 0 files"));
  CHECK_THAT(call({"--join"}), Catch::Contains("next           all parts again"));
  const auto part = nlohmann::json::parse(call({"--part=0/2", "--format=json"}));
  CHECK(part == nlohmann::json{{"part", "0/2"}, {"did", "lots_routed"}, {"made", 1}, {"share", 1}, {"all", 1}});
  CHECK(nlohmann::json::parse(call({"--join", "--format=json"}))["prepared_hash"] == hash);
  CHECK_THAT(call({"--part=1/2"}), Catch::Contains("next           nothing is left for parts"));
}

TEST_CASE("dipaco prepare --join before its parts ends with status 3 and says what to run", "[programs]") {
  const MadeUpPrepare made;
  const Outcome outcome = run_built("dipaco", made.arguments({"--join"}));
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.error, Catch::Contains("corpus.jsonl: not tokenized yet: run `dipaco prepare --part I/N`"));
}

TEST_CASE("dipaco prepare refuses parts that cannot be", "[programs]") {
  const MadeUpPrepare made;
  for (const char* part : {"2/2", "-1/2", "1", "a/2", "0/", "0/0"}) {
    const Outcome outcome = run_built("dipaco", made.arguments({std::string("--part=") + part}));
    INFO(part << ": " << outcome.error);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.error, Catch::Contains("as in --part 0/8"));
  }
  const Outcome both = run_built("dipaco", made.arguments({"--part=0/2", "--join"}));
  CHECK(both.status == 2);
  CHECK_THAT(both.error, Catch::Contains("--part and --join"));
}

TEST_CASE("dipaco prepare without its corpus ends with status 3 and names it", "[programs]") {
  const MadeUpPrepare made;
  const Outcome outcome = run_built("dipaco", made.arguments({"--set=data.train=other.jsonl"}));
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.error, Catch::Contains("other.jsonl"));
  CHECK(outcome.output.empty());
}

TEST_CASE("a signal ends dipaco prepare with its status, and what was finished is found again", "[programs]") {
  const MadeUpPrepare made;
  const auto many = made.arguments({"--set=pretrain.steps=10000000"});
  const Outcome stopped = run_until("pretraining", SIGTERM, "dipaco", many);
  CHECK(stopped.status == 128 + SIGTERM);
  CHECK_THAT(stopped.error, Catch::EndsWith("dipaco prepare: stopped by SIGTERM: finished stages are kept; the same "
                                            "command goes on from there\n"));
  const Outcome again = run_built("dipaco", made.arguments({}));
  CHECK(again.status == 0);
  CHECK_THAT(again.error, !Catch::Contains("tokens"));
}
