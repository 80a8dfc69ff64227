#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// Four sites of unequal machines, none of which is preempted, with lines of this rate between them.
std::string thin_platform(const std::string& rate) {
  std::string xml = read_text(DIPACO_SOURCE_DIR "/tests/sim/unequal_4dc.xml");
  const std::string site = "(?:washington|dallas|frankfurt|tokyo)";
  xml =
      std::regex_replace(xml, std::regex("(<link id=\"" + site + "-" + site + "\" bandwidth=\")[^\"]*"), "$01" + rate);
  xml = std::regex_replace(xml, std::regex("<prop id=\"(?:preemption|notice)\"[^>]*/>"), "");
  return std::regex_replace(xml, std::regex("\"\\.\\./\\.\\./scenarios/"), "\"" DIPACO_SOURCE_DIR "/scenarios/");
}

struct ThinRun {
  double duration = 0;
  double busiest = 0;  ///< seconds that the busiest line needs for its bytes
  double wan_bytes = 0;
  int requeued = 0;
};

/// @param set  keys of the run
ThinRun run_thin(const std::vector<std::string>& set, const std::string& rate = "10Mbps") {
  const TemporaryFolder folder;
  const auto scenario = (folder.path() / "thin.xml").string();
  std::ofstream(scenario) << thin_platform(rate);
  const auto out = (folder.path() / "out").string();
  std::vector<std::string> words{scenario,       "--learn", "off",   "--progress",          "off",
                                 "--out",        out,       "--set", "topology.levels=8x8", "--set",
                                 "outer.steps=4"};
  for (const std::string& key : set) words.insert(words.end(), {"--set", key});
  const Outcome ran = run_built("dipaco-sim", words);
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  const auto summary = nlohmann::json::parse(read_text(out + "/summary.json"));
  ThinRun run{
      .duration = summary["simulated_s"], .wan_bytes = summary["wan_bytes"], .requeued = summary["tasks_requeued"]};
  std::istringstream lines(read_text(out + "/links.csv"));
  for (std::string line; std::getline(lines, line);) {
    const auto cells = split(line, ',');  // kind, link, from_site, to_site, bytes, bandwidth_bytes_per_s
    if (cells[0] == "link") run.busiest = std::max(run.busiest, *parse_number(cells[4]) / *parse_number(cells[5]));
  }
  return run;
}

/// Nobody knows beforehand what lines carry: so they are full.
const std::string kUnknown = "run.known_lines=off";
const std::string kSpread = "run.place=spread";

}  // namespace

TEST_CASE("on thin lines a run takes as long as its busiest line needs, since messages go in turn", "[sim]") {
  const ThinRun turns = run_thin({kUnknown, kSpread, "run.site_sums=off"});
  const ThinRun shared = run_thin({kUnknown, kSpread, "run.site_sums=off", "run.line_turns=off"});
  std::printf("in turn %.0f s, busiest line %.0f s; all at once %.0f s\n", turns.duration, turns.busiest,
              shared.duration);
  CHECK(turns.requeued == 0);
  CHECK(turns.duration <= 1.02 * turns.busiest);
  CHECK(turns.duration <= shared.duration);
}

TEST_CASE("paths that share modules share sites, so that thin lines carry less", "[sim]") {
  const ThinRun placed = run_thin({kUnknown});
  const ThinRun spread = run_thin({kUnknown, kSpread});
  std::printf("%.0f s, %.1f GB between sites; with paths and modules spread %.0f s, %.1f GB\n", placed.duration,
              placed.wan_bytes / 1e9, spread.duration, spread.wan_bytes / 1e9);
  CHECK(placed.wan_bytes <= 0.75 * spread.wan_bytes);
  CHECK(placed.duration <= spread.duration);
}

TEST_CASE("on the thinnest lines no task is given up: its worker, or its site's cache, waits for what moves", "[sim]") {
  const ThinRun run = run_thin({kUnknown}, "0.3Mbps");  // a version takes an hour
  CHECK(run.requeued == 0);
}

TEST_CASE("a coordinator or an executor that begins anew does not spread a run that thin lines keep at one site",
          "[sim]") {
  const std::vector<std::string> steps{"outer.steps=2", "liveness.limit=10s"};
  const ThinRun undisturbed = run_thin(steps, "1Mbps");
  // The executor of the site that does all tasks is away for longer than the limit: others take its modules over, which
  // have no version yet, and give them back.
  for (const char* fault :
       {"coordinator:0@time=40s,for=0.5s", "coordinator:0@time=200s,for=0.5s", "coordinator:0@time=1000s,for=0.5s",
        "executor:2@time=20s,for=27s", "coordinator:0@time=40s,for=5s; executor:2@time=39s,for=20s"}) {
    INFO(fault);
    std::vector<std::string> set = steps;
    set.push_back("faults.restart=" + std::string(fault));
    const ThinRun disturbed = run_thin(set, "1Mbps");
    CHECK(disturbed.duration <= 1.01 * undisturbed.duration);
    CHECK(disturbed.wan_bytes < 1e9);  // less than one path state
  }
}

TEST_CASE("what goes through a site's store once halves the time on thin lines", "[sim]") {
  const ThinRun direct = run_thin({kUnknown, "run.site_cache=off"});
  const ThinRun cached = run_thin({kUnknown, "run.site_sums=off"});
  const ThinRun summed = run_thin({kUnknown});
  std::printf("%.0f s, %.1f GB between sites; with a cache at each %.0f s, %.1f GB; with sums, too, %.0f s, %.1f GB\n",
              direct.duration, direct.wan_bytes / 1e9, cached.duration, cached.wan_bytes / 1e9, summed.duration,
              summed.wan_bytes / 1e9);
  CHECK(cached.wan_bytes <= 0.9 * direct.wan_bytes);
  CHECK(summed.wan_bytes <= 0.55 * direct.wan_bytes);
  CHECK(summed.duration <= 0.55 * direct.duration);
}

TEST_CASE("who knows that lines are thin leaves them alone where one site is done sooner without the others", "[sim]") {
  const ThinRun unknown = run_thin({kUnknown});
  const ThinRun known = run_thin({});
  const ThinRun spread = run_thin({"run.place=spread"});
  std::printf("%.0f s, %.2f GB between sites; with known lines %.0f s, %.2f GB; owners at all sites %.0f s, %.2f GB\n",
              unknown.duration, unknown.wan_bytes / 1e9, known.duration, known.wan_bytes / 1e9, spread.duration,
              spread.wan_bytes / 1e9);
  CHECK(known.requeued == 0);
  CHECK(known.duration <= 0.75 * 4630);  // what it took without, before messages went one at a time
  CHECK(known.duration <= 0.8 * unknown.duration);
  CHECK(run_thin({}, "5Mbps").duration <= 0.5 * run_thin({kUnknown}, "5Mbps").duration);
  CHECK(known.wan_bytes <= 0.25 * unknown.wan_bytes);
  CHECK(known.duration <= spread.duration);
  CHECK(known.wan_bytes < spread.wan_bytes);
}

}  // namespace dipaco::testing
