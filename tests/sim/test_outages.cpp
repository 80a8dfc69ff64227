// A whole site that is off for a time, through dipaco-sim.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// Its exit status, and its summary where that is 0. Nothing is learned.
std::pair<int, nlohmann::json> simulated(const std::string& scenario, const std::vector<std::string>& set) {
  const TemporaryFolder folder;
  std::vector<std::string> words{scenario, "--learn", "off", "--progress", "off", "--out", folder.path() / "out"};
  for (const std::string& setting : set) words.insert(words.end(), {"--set", setting});
  const Outcome outcome = run_built("dipaco-sim", words);
  if (outcome.status != 0) return {outcome.status, {}};
  return {0, nlohmann::json::parse(read_text(folder.path() / "out/summary.json"))};
}

/// A site of a machine that coordinates and keeps, and of two workers, an inner step a second; a task has thirty.
std::pair<int, nlohmann::json> one_site(const std::string& outages) {
  const TemporaryFolder folder;
  write_file(folder.path() / "s.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><prop id="run" value=")" DIPACO_SOURCE_DIR
                                      R"(/scenarios/runs/tiny.cfg"/>
<prop id="coordinator" value="s"/><prop id="workers" value="a,b"/>
<prop id="store" value="s"/><prop id="executors" value="s"/><prop id="step_time" value="1s"/>
<host id="s" speed="1Tf"/><host id="a" speed="1Tf"/><host id="b" speed="1Tf"/>
<link id="l" bandwidth="100Gbps" latency="1us"/><link id="m" bandwidth="100Gbps" latency="1us"/>
<route src="s" dst="a"><link_ctn id="l"/></route><route src="s" dst="b"><link_ctn id="m"/></route>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>)");
  std::vector<std::string> set{"topology.levels=shared:2", "inner.steps=30", "outer.steps=5"};
  if (!outages.empty()) set.push_back("zone:z.outages=" + outages);
  return simulated(folder.path() / "s.xml", set);
}

}  // namespace

TEST_CASE("a site that is off for a time takes all its machines with it, and the run goes on after it", "[sim]") {
  const auto [status, there] = one_site("");
  REQUIRE(status == 0);
  const auto [ended, off] = one_site("from 20s to 50s");
  REQUIRE(ended == 0);
  CHECK(off["tasks_completed"] == there["tasks_completed"]);
  CHECK(off["workers_lost"] == 2);
  CHECK(off["inner_steps_lost"] > 0);
  // Thirty seconds, and the twenty that were computed.
  const double longer = off["simulated_s"].get<double>() - there["simulated_s"].get<double>();
  CHECK(longer > 49);
  CHECK(longer < 81);
  // Workers are asked who is there, and have said hello by themselves: no task is given out twice for that.
  CHECK(longer < 51);
  CHECK(off["tasks_requeued"] == 2);
}

TEST_CASE("goodput, what losses took of it by cause, and the rest of the workers' time are one", "[sim]") {
  const std::vector<std::string> losses{"zone:washington.failures=exponential 10min", "zone:washington.repair=2min",
                                        "zone:tokyo.capacity=1 from 5min to 20min"};
  const auto [status, run] = simulated(DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", losses);
  REQUIRE(status == 0);
  const std::vector<std::string> causes{"reclaimed_with_notice", "reclaimed_without_notice", "failed", "withheld",
                                        "other"};
  double lost = 0;
  double away = 0;
  for (const std::string& cause : causes) {
    lost += run["goodput_lost_" + cause].get<double>();
    away += run["worker_away_s_" + cause].get<double>();
  }
  CHECK(lost == Approx(run["goodput_lost"].get<double>()));
  CHECK(away == Approx(run["worker_away_s"].get<double>()));
  for (const char* const cause : {"reclaimed_with_notice", "failed", "withheld"}) {
    CAPTURE(cause);
    CHECK(run[std::string("worker_away_s_") + cause] > 0);
  }
  const double rest = run["worker_transfer_s"].get<double>() + run["worker_wait_s"].get<double>() +
                      run["worker_evaluate_s"].get<double>();
  CHECK(run["goodput"].get<double>() + lost + rest / run["worker_provisioned_s"].get<double>() == Approx(1));
}

TEST_CASE("what a trace and an outage take is told apart", "[sim]") {
  const auto [status, run] =
      simulated(DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", {"zone:tokyo.outages=from 5min to 8min"});
  REQUIRE(status == 0);
  CHECK(run["worker_away_s_other"] == Approx(2 * 180));
  CHECK(run["worker_away_s_reclaimed_with_notice"] > 0);
}

TEST_CASE("one of several sites may be off with its store, for good only where nothing is there alone", "[sim]") {
  const std::string wan = DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml";
  const auto [status, summary] = simulated(wan, {"zone:dallas.outages=from 10min to 25min"});
  REQUIRE(status == 0);
  CHECK(summary["tasks_completed"] == 80);
  CHECK(summary["workers_lost"] >= 4);
  CHECK(simulated(wan, {"zone:dallas.outages=from 10min"}).first == 4);
  CHECK(simulated(wan, {"zone:dallas.outages=from 10min", "run.replicas=2"}).first == 0);
}

}  // namespace dipaco::testing
