#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

using Catch::Matchers::Contains;

namespace {

/// Of wan_4dc's run file, so that it learns in a moment.
const std::string kSmall =
    "model.blocks=2 model.hidden=16 model.heads=1 model.sequence=64 model.vocabulary=400 topology.path_specific= "
    "pretrain.steps=2 inner.steps=2 inner.batch=2 outer.steps=2 evaluate.every=1 evaluate.dense_equal_steps=off";

}  // namespace

TEST_CASE("evaluations of a text that is charged take as long as those of one that is learned", "[sim]") {
  const TemporaryFolder folder;
  const auto summary = [&](const std::string& learn, const std::string& path_specific, bool disks = false) {
    std::vector<std::string> words{
        DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", "--progress", "off", "--learn", learn, "--out",
        folder.path() / (learn + path_specific)};
    for (const std::string& setting : split(kSmall, ' ')) words.insert(words.end(), {"--set", setting});
    for (const char* const setting : {"data.charged_documents=200000", "data.validation_documents=0"})
      words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--set", "topology.path_specific=" + path_specific});
    for (const std::string site : {"washington", "dallas", "frankfurt", "tokyo"}) {
      if (!disks) words.insert(words.end(), {"--set", "zone:" + site + ".disk="});
    }
    const Outcome ran = run_built("dipaco-sim", words);
    INFO(ran.error);
    REQUIRE(ran.status == 0);
    return nlohmann::json::parse(read_text(folder.path() / (learn + path_specific) / "summary.json"));
  };
  for (const char* const path_specific : {"", "embedding"}) {
    const auto learned = summary("on", path_specific);
    const auto charged = summary("off", path_specific);
    for (const char* const figure :
         {"simulated_s", "worker_evaluate_s", "messages_evaluate", "bytes_module", "bytes_path_state"}) {
      INFO(path_specific << " " << figure);
      CHECK(learned[figure] == charged[figure]);
    }
    CHECK(learned["worker_evaluate_s"] > 1);
  }
  // What is learned is in the coordinator's journal: some hundred bytes on its disk.
  const double learned = summary("on", "", true)["simulated_s"];
  const double charged = summary("off", "", true)["simulated_s"];
  CHECK(std::abs(learned - charged) < 1e-6);
  CHECK(learned > summary("off", "")["simulated_s"].get<double>() + 1);
}

// In paper_16x16 they send the same messages (test_schedules.cpp).
TEST_CASE("both schedules end with the same parameters in each shipped scenario", "[sim]") {
  const std::string scenario = GENERATE("wan_4dc", "diloco_2dc", "flat_moe");
  const TemporaryFolder folder;
  const auto hash = [&](const std::string& schedule) {
    std::vector<std::string> words{DIPACO_SOURCE_DIR "/scenarios/" + scenario + ".xml", "--progress", "off", "--out",
                                   folder.path() / schedule};
    for (const std::string& setting : split(kSmall, ' ')) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--set", "evaluate.every=0", "--set", "run.schedule=" + schedule});
    const Outcome ran = run_built("dipaco-sim", words);
    INFO(ran.error);
    REQUIRE(ran.status == 0);
    return nlohmann::json::parse(read_text(folder.path() / schedule / "summary.json"))["parameters_hash"];
  };
  CAPTURE(scenario);
  CHECK(hash("earliest_finish") == hash("first_free"));
}

TEST_CASE("the least dollars to a perplexity are those until an evaluation was as good", "[sim]") {
  const TemporaryFolder folder;
  const auto least = [&](const std::string& target) {
    std::vector<std::string> words{"recommend",  DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml",
                                   "--progress", "off",
                                   "--format",   "json",
                                   "--out",      folder.path() / target};
    words.insert(words.end(), {"--over", "zone:tokyo.workers=1,2", "--objective", "usd_per_target"});
    for (const std::string& setting : split(kSmall, ' ')) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--set", "evaluate.target_perplexity=" + target});
    return run_built("dipaco-sim", words);
  };
  const Outcome found = least("1e9");
  INFO(found.error);
  REQUIRE(found.status == 0);
  const auto best = nlohmann::json::parse(found.output)["best"][0];
  const double all = best["usd"];
  CHECK(best["usd_per_target"] > 0.3 * all);  // after the first of two outer steps
  CHECK(best["usd_per_target"] < 0.8 * all);
  const Outcome none = least("1.5");
  CHECK(none.status == 1);
  CHECK_THAT(none.error, Contains("no choice gets to evaluate.target_perplexity"));
}

}  // namespace dipaco::testing
