// dipaco-sim worth: how much longer a run takes without some of its machines.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

/// A fast site of two workers and a slow one of one, four paths: the slow one's is in nobody's way.
std::string scenario(const std::string& slow) {
  return R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full"><prop id="run" value=")" DIPACO_SOURCE_DIR
         R"(/scenarios/runs/tiny.cfg"/>
<zone id="x" routing="Full"><prop id="workers" value="all"/>
<host id="a" speed="1Tf"><prop id="step_time" value="1s"/></host>
<host id="b" speed="1Tf"><prop id="step_time" value="1s"/></host>
<link id="ab" bandwidth="1Gbps" latency="1ms"/><route src="a" dst="b"><link_ctn id="ab"/></route></zone>
<zone id="y" routing="Full"><prop id="workers" value="c"/><host id="c" speed="1Tf"><prop id="step_time" value=")" +
         slow + R"("/></host></zone>
<link id="l" bandwidth="1Gbps" latency="1ms"/>
<zoneRoute src="x" dst="y" gw_src="a" gw_dst="c"><link_ctn id="l"/></zoneRoute></zone></platform>)";
}

Outcome worth(const std::string& slow, std::vector<std::string> more) {
  const TemporaryFolder folder;
  write_file(folder.path() / "s.xml", scenario(slow));
  more.insert(more.begin(), {"worth", folder.path() / "s.xml"});
  return run_built("dipaco-sim", more);
}

}  // namespace

TEST_CASE("what a site or a machine is worth is how much longer the run takes without it", "[sim]") {
  const Outcome outcome = worth("2s", {"--format", "json"});
  REQUIRE(outcome.status == 0);
  const auto told = nlohmann::json::parse(outcome.output);
  CHECK(told["name"] == "tiny");
  CHECK(told["workers"] == 3);
  const double whole = told["simulated_s"];
  std::map<std::string, double> worth_s;
  for (const auto& one : told["without"]) {
    worth_s[one["name"]] = one["worth_s"];
    CHECK(one["simulated_s"].get<double>() == Approx(whole + worth_s.at(one["name"])));
  }
  REQUIRE(worth_s.size() == 3);  // both sites, and one of the two machines that are alike
  CHECK(worth_s.at("x") > worth_s.at("a"));
  CHECK(worth_s.at("a") > worth_s.at("y"));
  CHECK(worth_s.at("y") > 0);
  // Side by side they come to the same.
  CHECK(worth("2s", {"--format", "json", "--threads", "3"}).output == outcome.output);
  const Outcome text = worth("2s", {});
  CHECK_THAT(text.output, Contains("tiny, 3 workers\n"));
  CHECK_THAT(text.output, Contains("a (one of 2 alike)"));
  std::istringstream lines(text.output);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("a machine that is in nobody's way is worth nothing", "[sim]") {
  const auto told = nlohmann::json::parse(worth("500s", {"--format", "json"}).output);
  const auto slow = std::ranges::find_if(told["without"], [](const auto& one) { return one["name"] == "y"; });
  REQUIRE(slow != told["without"].end());
  CHECK(std::abs((*slow)["worth_s"].get<double>()) < 0.05 * told["simulated_s"].get<double>());
}

TEST_CASE("no machine makes a run without rounds longer, however slow it is", "[sim]") {
  const auto policy =
      GENERATE(as<std::vector<std::string>>{}, std::vector<std::string>{"asynchronous"},
               std::vector<std::string>{"asynchronous", "--set", "inner.dylu=on"}, std::vector<std::string>{"quorum"});
  const auto slow = GENERATE("3s", "16s", "50s");
  CAPTURE(policy, slow);
  std::vector<std::string> more{"--format", "json", "--set", "evaluate.every=0", "--set", "outer.steps=10", "--set"};
  more.push_back("outer.policy=" + policy.front());
  more.insert(more.end(), policy.begin() + 1, policy.end());
  const auto outcome = worth(slow, more);
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  const auto told = nlohmann::json::parse(outcome.output);
  const double whole = told["simulated_s"];
  REQUIRE(told["without"].size() == 3);
  for (const auto& one : told["without"]) CHECK(one["simulated_s"].get<double>() > 0.98 * whole);
}

TEST_CASE("what losses cost is how much sooner the same run ends where no machine ever goes", "[sim]") {
  const std::string scenario = DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml";
  const auto simulated = [&](std::vector<std::string> more) {
    const TemporaryFolder folder;
    more.insert(more.begin(), {scenario, "--learn", "off", "--out", folder.path() / "out"});
    const Outcome outcome = run_built("dipaco-sim", more);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(read_text(folder.path() / "out" / "summary.json"));
  };
  const auto with = simulated({});
  const auto without = simulated({"--without", "losses"});
  CHECK(with["tasks_handed_back"] > 0);
  CHECK(without["tasks_handed_back"] == 0);
  const Outcome outcome = run_built("dipaco-sim", {"worth", scenario, "--format", "json"});
  REQUIRE(outcome.status == 0);
  const auto told = nlohmann::json::parse(outcome.output);
  CHECK(told["simulated_s"] == with["simulated_s"]);
  CHECK(told["without_losses"]["simulated_s"] == without["simulated_s"]);
  CHECK(told["without_losses"]["losses_cost_s"].get<double>() ==
        Approx(with["simulated_s"].get<double>() - without["simulated_s"].get<double>()));
  CHECK(told["without_losses"]["losses_cost_s"] > 0);
  CHECK_THAT(run_built("dipaco-sim", {"worth", scenario}).output, Contains("\nlosses (no machine ever goes)"));
  const auto calm = nlohmann::json::parse(worth("2s", {"--format", "json"}).output);
  CHECK_FALSE(calm.contains("without_losses"));
}

TEST_CASE("with several seeds what a machine is worth is a median with its interval, seed by seed", "[sim]") {
  const std::vector<std::string> jittered{"--set", "zone:x.jitter=0.3", "--set", "zone:y.jitter=0.3"};
  const auto told_by = [&](std::vector<std::string> more) {
    more.insert(more.end(), jittered.begin(), jittered.end());
    more.insert(more.end(), {"--format", "json"});
    const Outcome outcome = worth("2s", more);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.output);
  };
  const auto three = told_by({"--seed", "5", "--repeat", "3"});
  std::map<std::string, std::vector<double>> worth_s;
  std::vector<double> whole;
  for (const char* const seed : {"5", "6", "7"}) {
    const auto one = told_by({"--seed", seed});
    whole.push_back(one["simulated_s"]);
    CHECK_FALSE(one.contains("seeds"));
    for (const auto& without : one["without"]) {
      worth_s[without["name"]].push_back(without["worth_s"]);
      CHECK_FALSE(without.contains("worth_low_s"));
    }
  }
  std::ranges::sort(whole);
  CHECK(whole.front() < whole.back());
  CHECK(three["seeds"] == 3);
  CHECK(three["simulated_s"] == whole[1]);
  REQUIRE(three["without"].size() == 3);
  for (const auto& without : three["without"]) {
    auto& each = worth_s.at(without["name"]);
    std::ranges::sort(each);
    CHECK(without["worth_low_s"].get<double>() == Approx(each[0]));
    CHECK(without["worth_s"].get<double>() == Approx(each[1]));
    CHECK(without["worth_high_s"].get<double>() == Approx(each[2]));
  }
  const Outcome text = worth("2s", {"--repeat", "3", "--set", "zone:x.jitter=0.3"});
  CHECK_THAT(text.output, Contains("tiny, 3 workers; medians of 3 seeds\n") && Contains("least to greatest"));
  CHECK_THAT(worth("2s", {"--repeat", "6"}).output, Contains("95 % interval"));
  CHECK_THAT(worth("2s", {"--repeat", "0"}).error, Contains("--repeat"));
}

TEST_CASE("what is wrong is told before anything runs", "[sim]") {
  const auto refused = [](const std::vector<std::string>& more) {
    const Outcome outcome = worth("2s", more);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    return outcome.error;
  };
  CHECK_THAT(refused({"--set", "outer.steps=0"}), Contains("outer.steps"));
  CHECK_THAT(refused({"--set", "faults.kill=worker:1@time=1s"}), Contains("[faults] strike nodes by their numbers"));
  CHECK_THAT(refused({"--without", "z"}), Contains("--without z is no site or host"));
  CHECK_THAT(run_built("dipaco-sim", {"worth"}).error, Contains("no scenario; name one"));
  CHECK(run_built("dipaco-sim", {"worth", "nowhere.xml"}).status != 0);
  const Outcome help = run_built("dipaco-sim", {"worth", "--help"});
  CHECK(std::ranges::count(help.output, '\n') <= 24);
}

}  // namespace dipaco::testing
