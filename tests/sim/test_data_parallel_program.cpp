#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/base/text.hpp"
#include "tests/programs/process.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;
using nlohmann::json;

const std::string kScenario = DIPACO_SOURCE_DIR "/scenarios/diloco_2dc.xml";

std::string said(std::vector<std::string> more) {
  more.insert(more.begin(), {"data-parallel", kScenario});
  const Outcome outcome = run_built("dipaco-sim", more);
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  return outcome.output;
}

}  // namespace

TEST_CASE("dipaco-sim data-parallel prints the ways of a step and the job, in both forms the same", "[sim]") {
  const std::string text = said({});
  const json all = json::parse(said({"--format=json"}));
  CHECK_THAT(text, Contains("one model of " + human_count(all["parameters"].get<std::int64_t>()) + " parameters"));
  CHECK_THAT(text, Contains("a step") && Contains("computing") && Contains("all-reduce") && Contains("in all"));
  std::set<std::string> names;
  for (const json& way : all["ways"]) {
    const std::string name = way["name"];
    names.insert(name);
    const auto begin = text.find("\n" + name + " ");
    CAPTURE(name);
    REQUIRE(begin != std::string::npos);
    const std::string row = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
    CHECK_THAT(row, Contains(" " + human_seconds(Seconds(way["step_compute_s"].get<double>()))));
    CHECK_THAT(row, Contains(" " + human_seconds(Seconds(way["step_all_reduce_s"].get<double>()))));
    CHECK_THAT(row, Contains(" " + human_seconds(Seconds(way["step_s"].get<double>()))));
    // A step is no shorter than its computing, and what is beside it is at most the whole all-reduce.
    CHECK(way["step_s"] >= way["step_compute_s"]);
    CHECK(way["step_s"].get<double>() <=
          Approx(way["step_compute_s"].get<double>() + way["step_all_reduce_s"].get<double>()).epsilon(0.001));
  }
  CHECK(names.size() == all["ways"].size());
  CHECK(names.size() >= 4);  // all sites and each alone, in more than one way
  CHECK_THAT(text, Contains("duration    " + human_seconds(Seconds(all["simulated_s"].get<double>())) + " simulated, " +
                            human_count(all["steps"].get<std::int64_t>()) + " steps"));
  CHECK_THAT(text, Contains("goodput     " + format_fixed(100 * all["goodput"].get<double>(), 1) + " %"));
}

TEST_CASE("each option of dipaco-sim data-parallel changes its job", "[sim]") {
  const auto job = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--format=json"});
    return json::parse(said(more));
  };
  const json usual = job({});
  CHECK(job({"--gradients=fp32"})["gradient_bytes"].get<double>() == 2 * usual["gradient_bytes"].get<double>());
  CHECK(job({"--all-reduce=ring"})["wan_bytes"] != usual["wan_bytes"]);
  const std::string slow = "host:dallas-0.mfu=0.1";
  CHECK(job({"--shares=equal", "--set", slow})["step_compute_s"] > job({"--set", slow})["step_compute_s"]);
  const json rounds = job({"--local-steps=50"});
  CHECK(rounds["local_steps"] == 50);
  CHECK(rounds["steps"] < usual["steps"]);
  CHECK(rounds["wan_bytes"] < usual["wan_bytes"]);
  const std::vector<std::string> fails{"--set", "zone:dallas.failures=exponential 1h", "--set",
                                       "zone:dallas.repair=10min"};
  const auto lossy = [&](const char* on_loss) {
    std::vector<std::string> words = fails;
    words.push_back(std::string("--on-loss=") + on_loss);
    return job(words);
  };
  CHECK(lossy("restart")["restarts"] > lossy("shrink")["restarts"]);
  const Outcome many = run_built("dipaco-sim", {"data-parallel", kScenario, "--local-steps=1000000"});
  CHECK(many.status == 2);
  CHECK_THAT(many.error, Contains("--local-steps=1000000: a path of this run has only"));
  const Outcome both = run_built("dipaco-sim", {"data-parallel", kScenario, "--local-steps=50", "--overlap=on"});
  CHECK(both.status == 2);
  CHECK_THAT(both.error, Contains("leave one of the two out"));
}

TEST_CASE("dipaco-sim data-parallel says what it does not charge", "[sim]") {
  const auto notes = [](std::vector<std::string> set) {
    std::vector<std::string> words{"data-parallel", kScenario};
    for (const std::string& one : set) words.insert(words.end(), {"--set", one});
    return run_built("dipaco-sim", words).error;
  };
  CHECK_THAT(notes({}), Contains("note: data-parallel training is charged no intake: it does better by that\n"));
  CHECK_THAT(notes({"zone:dallas.jitter=0.1"}), Contains("charged no intake and no jitter: it"));
  CHECK_THAT(notes({"zone:dallas.intake=", "zone:washington.intake="}), !Contains("note: data-parallel"));
}

TEST_CASE("dipaco-sim data-parallel refuses devices that the model does not fit", "[sim]") {
  const auto with = [](const std::string& memory) {
    return run_built("dipaco-sim", {"data-parallel", kScenario, "--set", "zone:dallas.memory=" + memory});
  };
  const Outcome small = with("1GiB");
  CHECK(small.status == 2);
  CHECK_THAT(small.error, Contains("the path does not fit") && Contains("of a device's memory, which has 1.0 GiB"));
  CHECK(with("80GiB").status == 0);
}

}  // namespace dipaco::testing
