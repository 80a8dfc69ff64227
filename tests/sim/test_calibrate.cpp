// dipaco-sim calibrate: a scenario whose workers take as long as they did in real runs.

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

/// A coordinator with its store, and two workers; `props` of the zone and of each worker.
std::string lines_scenario(const std::string& zone, const std::string& one, const std::string& two) {
  return R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full"><prop id="run" value=")" DIPACO_SOURCE_DIR
         R"(/scenarios/runs/tiny.cfg"/><prop id="store" value="s"/>)" +
         zone + R"(<host id="a" speed="1Tf"><prop id="role" value="worker"/>)" + one +
         R"(</host><host id="b" speed="1Tf"><prop id="role" value="worker"/>)" + two +
         R"(</host><host id="s" speed="1Tf"/>
<link id="as" bandwidth="1Gbps" latency="1ms"/><link id="bs" bandwidth="1Gbps" latency="1ms"/>
<link id="ab" bandwidth="1Gbps" latency="1ms"/><route src="a" dst="s"><link_ctn id="as"/></route>
<route src="b" dst="s"><link_ctn id="bs"/></route><route src="a" dst="b"><link_ctn id="ab"/></route></zone></platform>)";
}

/// A worker and a store at each of two sites, the executor at the first.
std::string two_sites_scenario(const std::string& bandwidth, const std::string& link_prop) {
  const auto site = [](const std::string& name) {
    return "<zone id=\"" + name + R"(" routing="Full"><prop id="workers" value="1"/><prop id="store" value="1"/>
<prop id="step_time" value="100ms"/><host id=")" +
           name + R"(0" speed="1Tf"/></zone>)";
  };
  return R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full"><prop id="run" value=")" DIPACO_SOURCE_DIR
         R"(/scenarios/runs/tiny.cfg"/>)" +
         site("x") + site("y") + R"(<link id="l" sharing_policy="SPLITDUPLEX" latency="1ms" bandwidth=")" + bandwidth +
         "\">" + link_prop + R"(</link><zoneRoute src="x" dst="y" gw_src="x0" gw_dst="y0">
<link_ctn id="l" direction="UP"/></zoneRoute></zone></platform>)";
}

const char* const kPlainWorker = R"(<prop id="step_time" value="1s"/>)";

/// What a simulation of `scenario`, in the folder, comes to.
double simulated(const TemporaryFolder& folder, const std::string& scenario, const std::string& out,
                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{folder.path() / scenario, "--learn", "off", "--progress", "off", "--out",
                                 folder.path() / out};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run_built("dipaco-sim", words);
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(read_text(folder.path() / out / "summary.json"))["simulated_s"];
}

Outcome calibrate(const TemporaryFolder& folder, std::vector<std::string> more) {
  more.insert(more.begin(), {"calibrate", folder.path() / "plain.xml", "--out", folder.path() / "new.xml"});
  return run_built("dipaco-sim", more);
}

}  // namespace

TEST_CASE("a scenario calibrated by a run takes as long as that run, and says where each figure is from", "[sim]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "plain.xml", lines_scenario("", kPlainWorker, kPlainWorker));
  write_file(folder.path() / "true.xml",
             lines_scenario(R"(<prop id="intake" value="2MBps"/>)", R"(<prop id="step_time" value="250ms"/>)",
                            R"(<prop id="step_time" value="400ms"/>)"));
  const double before = simulated(folder, "plain.xml", "before");
  const double truth = simulated(folder, "true.xml", "run");
  REQUIRE(before > 1.5 * truth);
  const Outcome outcome = calibrate(folder, {"--from", folder.path() / "run"});
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.output, Contains("host:a step_time 0.25") && Contains("host:b step_time 0.4"));
  CHECK_THAT(outcome.output, Contains("zone:w intake"));
  CHECK_THAT(read_text(folder.path() / "new.xml"),
             Contains("By dipaco-sim calibrate, beside what plain.xml says:") && Contains("tasks of run"));
  // Intake is of the states of both workers together, so not exact.
  CHECK(simulated(folder, "new.xml", "after") == Approx(truth).epsilon(0.005));
}

TEST_CASE("a line calibrated by a run carries what large messages got in it, and is as uneven", "[sim]") {
  const TemporaryFolder folder;
  // Both sites work, however thin the line.
  const std::vector<std::string> both{"--set", "run.schedule=first_free", "--set", "outer.steps=12",
                                      "--set", "model.hidden=96"};
  const auto lines_of = [&](const std::string& plain, const std::string& truth) {
    write_file(folder.path() / "plain.xml", plain);
    write_file(folder.path() / "true.xml", truth);
    simulated(folder, "true.xml", "run", both);
    const Outcome outcome = calibrate(folder, {"--from", folder.path() / "run"});
    REQUIRE(outcome.status == 0);
    std::map<std::string, std::string> lines;
    for (const std::string& line : split(outcome.output, '\n')) {
      const auto words = split(line, ' ');
      if (words.size() > 2 && words[0].starts_with("link:")) lines[words[0] + " " + words[1]] = words[2];
    }
    return lines;
  };
  const std::string wide = two_sites_scenario("100Mbps", "");
  auto lines = lines_of(wide, two_sites_scenario("2Mbps", ""));
  const auto figure = [&](const std::string& of) { return parse_number(split(lines[of], 'B').front()).value_or(0); };
  CHECK(figure("link:l_UP bandwidth") == Approx(250e3).epsilon(0.01));
  CHECK_THAT(read_text(folder.path() / "new.xml"), Contains("what was left to large messages from x to y, in run"));
  lines = lines_of(wide, two_sites_scenario("2Mbps", R"(<prop id="jitter" value="0.2 every 2s"/>)"));
  for (const std::string link : {"link:l_UP", "link:l_DOWN"}) {
    INFO(link);
    CHECK(figure(link + " bandwidth") == Approx(250e3).epsilon(0.1));
    CHECK(figure(link + " jitter") == Approx(0.2).epsilon(0.5));
  }
  // What the scenario says of a link itself stays, and none gets more than it has.
  CHECK(lines_of(two_sites_scenario("100Mbps", R"(<prop id="jitter" value="0.1 every 9s"/>)"),
                 two_sites_scenario("2Mbps", ""))
            .empty());
  CHECK(lines_of(two_sites_scenario("1Mbps", ""), two_sites_scenario("2Mbps", ""))["link:l_UP bandwidth"] ==
        "125000Bps:");
}

TEST_CASE("a worker that slept for its step time keeps the one that the scenario has", "[sim]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "plain.xml", lines_scenario("", kPlainWorker, ""));
  write_file(folder.path() / "true.xml",
             lines_scenario("", R"(<prop id="step_time" value="250ms"/>)", R"(<prop id="step_time" value="400ms"/>)"));
  simulated(folder, "true.xml", "run");
  // As dipaco-run --backend gloo --learn off leaves it.
  const auto summary = folder.path() / "run" / "summary.json";
  auto all = nlohmann::json::parse(read_text(summary));
  REQUIRE(all["learned"] == false);
  all["backend"] = "gloo";
  write_file(summary, all.dump());
  const Outcome outcome = calibrate(folder, {"--from", folder.path() / "run"});
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.output, !Contains("host:a step_time") && Contains("host:b step_time 0.4"));
}

TEST_CASE("a table of step times calibrates, and what is wrong with it is told with its line", "[sim]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "plain.xml", lines_scenario("", kPlainWorker, kPlainWorker));
  write_file(folder.path() / "true.xml", lines_scenario("", R"(<prop id="step_time" value="250ms"/>)", kPlainWorker));
  const auto with = [&](const std::string& table) {
    write_file(folder.path() / "times.csv", table);
    return calibrate(folder, {"--step-times", folder.path() / "times.csv"});
  };
  REQUIRE(with("host,step_time\na,250ms\n").status == 0);
  CHECK(simulated(folder, "new.xml", "after") == simulated(folder, "true.xml", "true"));
  CHECK_THAT(with("host,time\n").error, Contains("times.csv:1: \"host,time\" is not the header"));
  CHECK_THAT(with("host,step_time\na,250\n").error, Contains("times.csv:2: \"a,250\"; write a host and the time"));
  CHECK_THAT(with("host,step_time\naa,2s\n").error,
             Contains("\"aa\" is no worker of the scenario; did you mean \"a\"?"));
  CHECK_THAT(with("host,step_time\na,2s\na,3s\n").error, Contains("times.csv:3: \"a\" is there twice"));
  CHECK(with("host,step_time\n").status == 3);
}

TEST_CASE("a calibration without a source, a target or the run's processes is refused", "[sim]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "plain.xml", lines_scenario("", kPlainWorker, kPlainWorker));
  CHECK_THAT(calibrate(folder, {}).error, Contains("write either --from DIR"));
  CHECK_THAT(calibrate(folder, {"--from", "x", "--step-times", "y"}).error, Contains("write either --from DIR"));
  const Outcome no_out = run_built("dipaco-sim", {"calibrate", folder.path() / "plain.xml", "--from", "x"});
  CHECK_THAT(no_out.error, Contains("no --out; write --out FILE.xml"));
  const Outcome itself = run_built(
      "dipaco-sim", {"calibrate", folder.path() / "plain.xml", "--from", "x", "--out", folder.path() / "plain.xml"});
  CHECK_THAT(itself.error, Contains("that is the scenario itself"));
  write_file(folder.path() / "more.xml",
             lines_scenario(R"(<prop id="workers" value="s"/>)", kPlainWorker, kPlainWorker));
  simulated(folder, "more.xml", "more");
  const Outcome others = calibrate(folder, {"--from", folder.path() / "more"});
  CHECK(others.status == 2);
  CHECK_THAT(others.error, Contains("is not in the scenario; name runs of the processes that it has"));
}

}  // namespace dipaco::testing
