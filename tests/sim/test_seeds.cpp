// --repeat: a scenario, or a data-parallel job on it, with several seeds.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kFourSites = DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml";

std::vector<std::string> extended(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

nlohmann::json told_by(const std::vector<std::string>& words) {
  const Outcome outcome = run_built("dipaco-sim", extended(words, {"--format", "json"}));
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.output);
}

/// The row of a figure.
nlohmann::json figure(const nlohmann::json& table, const std::string& key) {
  const auto row = std::ranges::find_if(table, [&](const auto& one) { return one["figure"] == key; });
  REQUIRE(row != table.end());
  return *row;
}

}  // namespace

TEST_CASE("a scenario with several seeds tells the median and the interval of each figure", "[sim]") {
  const TemporaryFolder folder;
  const std::vector<std::string> drawn{kFourSites,   "--learn", "off", "--set", "zone:wan.ties=drawn",
                                       "--progress", "off"};
  std::vector<double> each;
  for (const char* const seed : {"11", "12", "13"}) {
    each.push_back(told_by(extended(drawn, {"--seed", seed, "--out", folder.path() / seed}))["simulated_s"]);
  }
  std::ranges::sort(each);
  REQUIRE(each.front() < each.back());
  const auto seeds = extended(drawn, {"--seed", "11", "--repeat", "3", "--out", folder.path() / "seeds"});
  const auto table = told_by(seeds);
  const auto duration = figure(table, "simulated_s");
  CHECK(duration["low"] == each[0]);
  CHECK(duration["median"] == each[1]);
  CHECK(duration["high"] == each[2]);
  CHECK(figure(table, "tasks_completed")["low"] == 80);  // in JSON the same for each seed, too
  CHECK(std::filesystem::exists(folder.path() / "seeds/points.csv"));
  const Outcome person = run_built("dipaco-sim", seeds);
  CHECK(person.status == 0);
  CHECK_THAT(person.output, Contains("simulated_s") && !Contains("tasks_completed"));
  CHECK_THAT(person.output, Contains("e+15"));  // operations a second are no time
  CHECK_THAT(person.error, Contains("figures are the same for each seed"));
}

TEST_CASE("the same seed leaves the same bytes under every policy", "[sim]") {
  const auto policy = GENERATE(as<std::vector<std::string>>{}, std::vector<std::string>{"synchronous"},
                               std::vector<std::string>{"gradients", "--set", "inner.steps=1", "--set",
                                                        "charge.steps=1", "--set", "outer.steps=20"},
                               std::vector<std::string>{"asynchronous"}, std::vector<std::string>{"quorum"},
                               std::vector<std::string>{"hierarchical", "--set", "topology.regions=2"});
  CAPTURE(policy.front());
  const TemporaryFolder folder;
  const auto all_of = [&](const std::string& name) {
    auto words =
        extended({kFourSites, "--learn", "off", "--progress", "off", "--events", "on", "--out", folder.path() / name,
                  "--set", "zone:dallas.jitter=0.1", "--set", "outer.policy=" + policy.front()},
                 {policy.begin() + 1, policy.end()});
    auto summary = told_by(words);
    for (const char* const of_this_machine : {"wall_s", "peak_rss_bytes"}) summary.erase(of_this_machine);
    std::map<std::string, std::string> files{{"summary", summary.dump()}};
    for (const auto& file : std::filesystem::directory_iterator(folder.path() / name)) {
      const std::string its = file.path().filename();
      if (its.ends_with(".csv") || its == "trace.json") files.emplace(its, read_text(file.path()));
    }
    return files;
  };
  const auto one = all_of("one");
  const auto other = all_of("other");
  CHECK(one.size() > 8);
  REQUIRE(one.size() == other.size());
  for (const auto& [file, bytes] : one) {
    CAPTURE(file);
    CHECK((other.at(file) == bytes));
  }
}

TEST_CASE("what only one run has is refused beside several seeds", "[sim]") {
  for (const std::vector<std::string>& one :
       {std::vector<std::string>{"--events", "on"}, {"--dump-config"}, {"--resume", "out"}}) {
    const Outcome outcome = run_built("dipaco-sim", extended({kFourSites, "--learn", "off", "--repeat", "2"}, one));
    CAPTURE(one.front());
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.error, Contains(one.front() + " is for one run"));
  }
}

TEST_CASE("a data-parallel job with several seeds tells medians and intervals, too", "[sim]") {
  const std::vector<std::string> job{"data-parallel",
                                     kFourSites,
                                     "--checkpoint-every",
                                     "20min",
                                     "--set",
                                     "zone:washington.failures=exponential 30min",
                                     "--set",
                                     "zone:washington.repair=2min"};
  std::vector<double> each;
  for (const char* const seed : {"1", "2", "3"})
    each.push_back(told_by(extended(job, {"--seed", seed}))["simulated_s"]);
  std::ranges::sort(each);
  REQUIRE(each.front() < each.back());
  const auto told = told_by(extended(job, {"--seed", "1", "--repeat", "3"}));
  CHECK(told["seeds"] == 3);
  CHECK(told["simulated_s_low"] == each[0]);
  CHECK(told["simulated_s"] == each[1]);
  CHECK(told["simulated_s_high"] == each[2]);
  CHECK(told["ways"].size() > 1);
  const Outcome person = run_built("dipaco-sim", extended(job, {"--repeat", "3"}));
  CHECK(person.status == 0);
  CHECK_THAT(person.output, Contains("The job with 3 seeds") && Contains("simulated_s"));
}

}  // namespace dipaco::testing
