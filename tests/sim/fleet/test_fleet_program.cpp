// dipaco-sim fleet: a scenario of a few lines.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kFleets = DIPACO_SOURCE_DIR "/scenarios/fleets/";

/// What a simulation of a scenario comes to; figures of this machine are left out.
nlohmann::json summary_of(const std::filesystem::path& scenario, const std::filesystem::path& out) {
  const Outcome outcome = run_built("dipaco-sim", {scenario, "--learn", "off", "--out", out, "--progress", "off"});
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.error, !Contains("warning"));
  nlohmann::json summary = nlohmann::json::parse(read_text(out / "summary.json"));
  summary.erase("wall_s");
  summary.erase("peak_rss_bytes");
  return summary;
}

/// The scenario of a shipped fleet, in `folder`.
std::filesystem::path made(const std::string& fleet, const std::filesystem::path& folder) {
  const std::filesystem::path scenario = folder / (fleet + ".xml");
  const Outcome outcome = run_built("dipaco-sim", {"fleet", kFleets + fleet + ".cfg", "--out", scenario});
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  return scenario;
}

/// How many lines of a shipped fleet say something.
std::ptrdiff_t lines_of(const std::string& fleet) {
  const auto lines = split(read_text(kFleets + fleet + ".cfg"), '\n');
  return std::ranges::count_if(lines, [](const std::string& line) { return !line.empty() && line.front() != '#'; });
}

}  // namespace

TEST_CASE("a site may have any name, and a scenario is written over no device", "[sim]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "f.cfg";
  write_file(file, std::string_view("[fleet]\nrun=" DIPACO_SOURCE_DIR
                                    "/scenarios/runs/tiny.cfg\ncoordinator=fleet\nprices=off\n[site fleet]\n"
                                    "region=gcp:us-central1\nmachines=2 x 8 H100\n"));
  const auto scenario = folder.path() / "f.xml";
  const Outcome outcome = run_built("dipaco-sim", {"fleet", file, "--out", scenario});
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  CHECK(summary_of(scenario, folder.path() / "out").at("sites") == 1);
  const Outcome device = run_built("dipaco-sim", {"fleet", file, "--out", "/dev/null"});
  CHECK(device.status == 2);
  CHECK_THAT(device.error, Contains("--out /dev/null: that is no file; leave --out away to write to a pipe"));
}

TEST_CASE("a fleet of wan_4dc's machines comes to exactly what wan_4dc does", "[sim]") {
  const TemporaryFolder folder;
  const auto fleet = summary_of(made("wan_4dc", folder.path()), folder.path() / "fleet");
  const auto scenario = summary_of(DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", folder.path() / "scenario");
  // Nothing differs: speeds, latencies, prices, egress, watts and absences are the same.
  CHECK(fleet == scenario);
  CHECK(fleet.at("simulated_s").get<double>() > 3000);
  CHECK(fleet.contains("usd"));
  CHECK(fleet.contains("kwh"));
  CHECK(read_text(folder.path() / "fleet/machines.csv") == read_text(folder.path() / "scenario/machines.csv"));
  CHECK(read_text(folder.path() / "fleet/links.csv") == read_text(folder.path() / "scenario/links.csv"));
}

TEST_CASE("three sites are said in twenty-odd lines, and have all that a run costs", "[sim]") {
  CHECK(lines_of("three_sites") <= 22);
  const TemporaryFolder folder;
  const auto summary = summary_of(made("three_sites", folder.path()), folder.path() / "out");
  for (const char* const key : {"simulated_s", "machine_usd", "egress_usd", "usd", "kwh"}) {
    INFO(key);
    CHECK(summary.at(key).get<double>() > 0);
  }
  // Two machines of 8 H100, four of 8 A100 80 GB, three of 8 L4; each site's files besides.
  const std::string machines = read_text(folder.path() / "out/machines.csv");
  CHECK_THAT(machines, Contains("\niowa-1,iowa,88.4896,"));           // 8 x 11.0612
  CHECK_THAT(machines, Contains("\nvirginia-3,virginia,45.6616,"));   // 8 x 5.7077
  CHECK_THAT(machines, Contains("\neemshaven-2,eemshaven,3.1192,"));  // 8 x 0.3899, spot
  CHECK_THAT(machines, Contains("\neemshaven-files,eemshaven,0.4,"));
}

TEST_CASE("the page on fleets shows the shipped fleet of three sites as it is", "[sim]") {
  const std::string page = read_text(DIPACO_SOURCE_DIR "/docs/fleet.md");
  std::string shown;
  std::string rest = read_text(std::string(kFleets) + "three_sites.cfg");
  rest.erase(0, rest.find("[fleet]"));
  for (std::size_t at = 0; at < rest.size(); at = rest.find('\n', at) + 1) {
    const std::string line = rest.substr(at, rest.find('\n', at) - at);
    shown += (line.empty() ? "" : "    ") + line + "\n";
  }
  CHECK_THAT(page, Contains(shown));
}

TEST_CASE("behind each figure of a made scenario stands where it is from", "[sim]") {
  const Outcome outcome = run_built("dipaco-sim", {"fleet", std::string(kFleets) + "three_sites.cfg"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.error.empty());
  int figures = 0;
  for (const std::string& line : split(outcome.output, '\n')) {
    const bool role = std::ranges::any_of(std::vector<std::string>{"workers", "executors", "store"},
                                          [&](const auto& name) { return line.starts_with("<prop id=\"" + name); });
    const bool between = line.starts_with("<link id=") && line.find("-nic") == std::string::npos;
    if ((!line.starts_with("<prop") || role) && !between) continue;
    ++figures;
    INFO(line);
    CHECK(line.find("  <!-- ") != std::string::npos);
  }
  CHECK(figures > 30);
  CHECK_THAT(outcome.output,
             Contains("8 x 11.0612: prices/machines.csv, H100 in gcp:us-central1, 2026-08-03, cloudpilot-ai/"));
  CHECK_THAT(outcome.output,
             Contains("latency=\"51.55ms\"") && Contains("gcp:us-central1 to gcp:europe-west4, 2022-04-16"));
  // Anywhere, so its files are named in full.
  CHECK_THAT(outcome.output, Contains("value=\"" DIPACO_SOURCE_DIR "/scenarios/runs/wan_4dc.cfg\""));
}

TEST_CASE("a made scenario names files relative to itself, those beside the fleet file first", "[sim]") {
  const TemporaryFolder folder;
  const auto home = folder.path() / "home";
  std::string text = read_text(std::string(kFleets) + "three_sites.cfg");
  const std::string trace = "traces/aws-g4dn_24.csv";
  write_file(home / trace, std::string_view("time_s,available\n0,3\n7200,1\n"));
  write_file(home / "my.cfg", text);
  const auto scenario = folder.path() / "made" / "my.xml";
  REQUIRE(run_built("dipaco-sim", {"fleet", home / "my.cfg", "--out", scenario}).status == 0);
  CHECK_THAT(read_text(scenario), Contains("value=\"../home/" + trace + "\"") && !Contains("preemption_machine_scale"));
  summary_of(scenario, folder.path() / "out");
}

TEST_CASE("dipaco-sim fleet ends with status 2 where its file is wrong, and writes nothing", "[sim]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "my.cfg";
  std::string text = read_text(std::string(kFleets) + "three_sites.cfg");
  const auto at = text.find("8 L4\n");
  write_file(file, text.replace(at, 4, "8 L44"));
  const Outcome outcome = run_built("dipaco-sim", {"fleet", file, "--out", folder.path() / "my.xml"});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.error, Contains("dipaco-sim fleet: " + file.string() +
                                     ":17: prices/devices.csv has no device \"L44\"; did you mean \"L4\"?"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "my.xml"));
  const Outcome none = run_built("dipaco-sim", {"fleet"});
  CHECK(none.status == 2);
  CHECK_THAT(none.error, Contains("no fleet file; name one, such as scenarios/fleets/wan_4dc.cfg"));
  const Outcome itself = run_built(
      "dipaco-sim", {"fleet", std::string(kFleets) + "wan_4dc.cfg", "--out", std::string(kFleets) + "wan_4dc.cfg"});
  CHECK(itself.status == 2);
  CHECK_THAT(itself.error, Contains("that is the fleet file itself; name another file"));
}

}  // namespace dipaco::testing
