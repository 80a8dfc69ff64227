#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
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
namespace fs = std::filesystem;

constexpr const char* kWan = DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml";

/// Three bandwidths, two task lengths and two seeds: twelve runs.
Outcome sweep(const fs::path& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"sweep", kWan, "--learn", "off", "--out", out, "--progress", "off"};
  words.insert(words.end(), {"--over", "link:dallas-frankfurt.bandwidth=10Mbps..1Gbps*3", "--over",
                             "charge.steps=100,150", "--repeat", "2", "--set", "zone:dallas.jitter=0.1"});
  words.insert(words.end(), more.begin(), more.end());
  return run_built("dipaco-sim", words);
}

std::size_t lines_of(const fs::path& file) { return split(read_text(file), '\n').size() - 1; }

std::size_t runs_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder / "runs"), fs::directory_iterator()));
}

/// When each run was kept.
std::map<std::string, fs::file_time_type> written(const fs::path& folder) {
  std::map<std::string, fs::file_time_type> times;
  for (const auto& run : fs::directory_iterator(folder / "runs")) times[run.path().string()] = run.last_write_time();
  return times;
}

}  // namespace

TEST_CASE("a sweep has the same bytes for any number of processes, in parts, and when it goes on", "[sim]") {
  const TemporaryFolder folder;
  const fs::path whole = folder.path() / "whole";
  const Outcome ran = sweep(whole);
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  CHECK_THAT(ran.output, Contains("median") && Contains("100Mbps, 150") && Contains("simulated_s"));
  CHECK(lines_of(whole / "sweep.csv") == 13);
  CHECK(lines_of(whole / "points.csv") == 7);
  const std::string table = read_text(whole / "sweep.csv");
  REQUIRE(sweep(folder.path() / "one", {"--threads", "1"}).status == 0);
  CHECK(read_text(folder.path() / "one" / "sweep.csv") == table);

  const fs::path parts = folder.path() / "parts";
  const Outcome first = sweep(parts, {"--part", "1/3"});
  CHECK(first.status == 0);
  CHECK(runs_in(parts) == 4);
  CHECK_THAT(first.error, Contains("4 of 12 runs are there"));
  CHECK(sweep(parts, {"--part", "3/3"}).status == 0);
  CHECK(runs_in(parts) == 8);
  const auto times = written(parts);
  CHECK(sweep(parts).status == 0);  // what is left
  for (const auto& [file, time] : written(parts)) CHECK((!times.contains(file) || times.at(file) == time));
  CHECK(read_text(parts / "sweep.csv") == table);
  CHECK(read_text(parts / "points.csv") == read_text(whole / "points.csv"));
}

TEST_CASE("settings of links and props change what a run comes to as if the files said so", "[sim]") {
  const TemporaryFolder folder;
  std::string scenario = read_text(kWan);
  const auto replace = [&](const std::string& what, const std::string& by) {
    const auto at = scenario.find(what);
    REQUIRE(at != std::string::npos);
    scenario.replace(at, what.size(), by);
  };
  const std::string link = "<link id=\"dallas-frankfurt\" bandwidth=\"";
  replace(scenario.substr(scenario.find(link), scenario.find('>', scenario.find(link)) - scenario.find(link) + 1),
          link + "20Mbps\" latency=\"70ms\" sharing_policy=\"SPLITDUPLEX\"/>");
  replace("<prop id=\"workers\" value=\"washington-[0-1]\"/>", "<prop id=\"workers\" value=\"washington-0\"/>");
  const fs::path scenarios = fs::path(kWan).parent_path();
  for (const char* const part : {"runs", "traces", "corpus"}) {
    fs::create_directory_symlink(scenarios / part, folder.path() / part);
  }
  write_file(folder.path() / "changed.xml", scenario);
  const auto simulated = [&](const fs::path& file, const std::vector<std::string>& more) {
    const fs::path out = folder.path() / file.stem();
    std::vector<std::string> words{file, "--learn", "off", "--out", out, "--progress", "off"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome ran = run_built("dipaco-sim", words);
    INFO(ran.error);
    REQUIRE(ran.status == 0);
    return read_text(out / "tasks.csv") + read_text(out / "links.csv");
  };
  const std::string by_file = simulated(folder.path() / "changed.xml", {});
  CHECK(simulated(kWan, {"--set", "link:dallas-frankfurt.bandwidth=20Mbps", "--set",
                         "link:dallas-frankfurt.latency=70ms", "--set", "zone:washington.workers=washington-0"}) ==
        by_file);
  CHECK(simulated(kWan, {}) != by_file);
}

TEST_CASE("of two props that need each other, a sweep may vary one", "[sim]") {
  const TemporaryFolder folder;
  const auto laws = [&](const std::string& values, const std::string& name) {
    const Outcome ran = run_built(
        "dipaco-sim", {"sweep", kWan, "--learn", "off", "--out", folder.path() / name, "--progress", "off", "--over",
                       "zone:frankfurt.failures=" + values, "--set", "zone:frankfurt.repair=5min", "--repeat", "2"});
    INFO(ran.error);
    CHECK(ran.status == 0);
    return read_text(folder.path() / name / "sweep.csv");
  };
  const std::string one = laws("exponential 10min", "a");
  CHECK(one.find("workers_lost_failed") != std::string::npos);
  const std::string both = laws("exponential 1000h,exponential 10min", "a");
  CHECK(lines_of(folder.path() / "a" / "sweep.csv") == 5);  // the same folder goes on, whatever comes first
  for (const std::string& line : split(one, '\n')) CHECK(both.find(line) != std::string::npos);
}

TEST_CASE("a sweep varies a list, each in quotes", "[sim]") {
  const TemporaryFolder folder;
  const Outcome ran =
      run_built("dipaco-sim", {"sweep", kWan, "--learn", "off", "--out", folder.path() / "out", "--progress", "off",
                               "--over", "routing.active_paths=\"4,8\",\"2,4,8\",8", "--show", "tasks_completed"});
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  CHECK_THAT(ran.output, Contains("\"4,8\"") && Contains("\"2,4,8\""));
  CHECK(lines_of(folder.path() / "out" / "sweep.csv") == 4);
  CHECK_THAT(read_text(folder.path() / "out" / "points.csv"), Contains("\n\"4,8\",1,") && Contains("\n8,1,"));
}

TEST_CASE("what is wrong with a sweep ends it with status 2 before anything is simulated", "[sim]") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  const auto refused = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{"sweep", kWan, "--learn", "off", "--out", out};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome ran = run_built("dipaco-sim", all);
    CHECK(ran.status == 2);
    CHECK(!fs::exists(out));
    return ran.error;
  };
  CHECK_THAT(refused({}), Contains("nothing to sweep over"));
  const Outcome unwritable = run_built(
      "dipaco-sim", {"sweep", kWan, "--learn", "off", "--repeat", "2", "--progress", "off", "--out", "/proc/nowhere"});
  CHECK(unwritable.status == 3);
  CHECK_THAT(unwritable.error, Contains("/proc/nowhere") && !Contains("bug"));
  CHECK_THAT(refused({"--over", "inner.stepz=1,2"}), Contains("did you mean \"steps\"?"));
  CHECK_THAT(refused({"--over", "inner.steps=5,9", "--assert", "validation_perplexity<99"}),
             Contains("--assert validation_perplexity and --learn off: nothing is learned there"));
  CHECK_THAT(refused({"--over", "routing.active_paths=\"4,8"}), Contains("a quote is not closed"));
  CHECK_THAT(refused({"--over", "inner.steps=5,-1"}), Contains("inner.steps=-1"));
  CHECK_THAT(refused({"--over", "link:dallas-frankfort.bandwidth=1Mbps"}),
             Contains("did you mean \"dallas-frankfurt_"));
  CHECK_THAT(refused({"--over", "link:dallas-frankfurt.bandwidth=1..9*3"}), Contains("\"1\" is no rate with a unit"));
  CHECK_THAT(refused({"--over", "link:dallas-frankfurt.width=1Mbps"}), Contains("bandwidth and latency can be set"));
  CHECK_THAT(refused({"--over", "link:dallas-frankfurt.latency=-1ms"}), Contains("no time with a unit"));
  CHECK_THAT(refused({"--over", "zone:dalas.notice=1s"}), Contains("no zone \"dalas\"; did you mean \"dallas\"?"));
  CHECK_THAT(refused({"--over", "zone:dallas.notise=1s"}), Contains("did you mean \"notice\"?"));
  CHECK_THAT(refused({"--over", "host:dallas-9.mfu=0.3"}), Contains("no host \"dallas-9\"; did you mean \"dallas-"));
  CHECK_THAT(refused({"--over", "zone:dallas.workers=dallas-9"}), Contains("names the host \"dallas-9\""));
  CHECK_THAT(refused({"--over", "run.seed=1,2"}), Contains("write --repeat N"));
  CHECK_THAT(refused({"--over", "outer.steps=5", "--over", "outer.steps=6"}), Contains("given twice"));
  CHECK_THAT(refused({"--over", "outer.steps=5", "--set", "outer.steps=6"}), Contains("beside --over outer.steps"));
  CHECK_THAT(refused({"--over", "outer.steps=1..9000+1", "--repeat", "1000"}),
             Contains("9000000 runs; ask for at most"));
  CHECK_THAT(refused({"--repeat", "2", "--set", "link:x=1"}), Contains("write link:NAME.bandwidth=10Mbps"));
  CHECK_THAT(refused({"--repeat", "2", "--part", "3/2"}), Contains("--part 3/2: write I/N"));
}

TEST_CASE("a sweep keeps runs that do not end, and refuses the folder of another", "[sim]") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", kWan, "--learn", "off", "--out", out, "--progress", "off"};
    words.insert(words.end(), {"--over", "liveness.deadline=100s,7d"});
    words.insert(words.end(), more.begin(), more.end());
    return run_built("dipaco-sim", words);
  };
  const Outcome ran = run({});
  CHECK(ran.status == 0);
  CHECK_THAT(ran.error, Contains("note: 100s, seed") && Contains("liveness.deadline=100s is not above"));
  CHECK(lines_of(out / "sweep.csv") == 3);
  const Outcome other = run({"--set", "outer.steps=3"});
  CHECK(other.status == 2);
  CHECK_THAT(other.error, Contains("has the runs of another sweep") && Contains("give another --out"));
  const Outcome unknown = run({"--show", "goodputt"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.error, Contains("did you mean \"goodput\"?"));
}

TEST_CASE("a bisection names the first value from which on a condition holds, as a sweep of all would", "[sim][long]") {
  const TemporaryFolder folder;
  const std::string axis = "charge.steps=50..800*33";
  const auto run = [&](const std::string& command, const char* out, const std::vector<std::string>& more) {
    std::vector<std::string> words{command, kWan, "--learn", "off", "--progress", "off", "--over", axis};
    words.insert(words.end(), {"--out", (folder.path() / out).string()});
    words.insert(words.end(), more.begin(), more.end());
    return run_built("dipaco-sim", words);
  };
  const Outcome found = run("bisect", "few", {"--until", "simulated_s>1h"});
  INFO(found.error);
  REQUIRE(found.status == 0);
  CHECK(runs_in(folder.path() / "few") < 15);
  REQUIRE(run("sweep", "all", {}).status == 0);
  const auto rows = split(read_text(folder.path() / "all" / "points.csv"), '\n');
  const auto header = split(rows.front(), ',');
  const auto at = static_cast<std::size_t>(std::ranges::find(header, "simulated_s") - header.begin());
  std::string first;
  for (std::size_t row = rows.size() - 2; row > 0; --row) {
    const auto cells = split(rows[row], ',');
    if (*parse_number(cells[at]) <= 3600) break;
    first = cells[0];
  }
  CHECK_THAT(found.output, Contains("charge.steps: " + first + " is the first from which on simulated_s>1h holds"));
  CHECK_THAT(found.output, Contains("  800: simulated_s ") && Contains(" min ") && Contains(", no\n"));

  const Outcome seeds = run("bisect", "seeds", {"--until", "simulated_s>1h", "--repeat", "2", "--format", "json"});
  const auto told = nlohmann::json::parse(seeds.output);
  for (const auto& row : told["tried"]) {
    CHECK(row["low"] <= row["median"]);
    CHECK(row["median"] <= row["high"]);
  }

  const Outcome never = run("bisect", "few", {"--until", "goodput>2"});
  CHECK(never.status == 1);
  CHECK_THAT(never.output, Contains("does not hold at the last value, 800") && Contains("nearest: "));
  const Outcome unknown = run("bisect", "few", {"--until", "goodputt>2"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.error, Contains("did you mean \"goodput\"?"));
  CHECK(run("bisect", "few", {"--until", "goodput"}).status == 2);
  CHECK(run("bisect", "few", {"--until", "goodput>0", "--over", "outer.steps=1,2"}).status == 2);
  const Outcome asserted = run("sweep", "all", {"--assert", "goodput>0", "--assert", "simulated_s<1h"});
  CHECK(asserted.status == 1);
  CHECK_THAT(asserted.error, Contains("not met: 800: simulated_s<1h, it is ") && !Contains("goodput"));
  CHECK(run("sweep", "all", {"--assert", "goodput>0"}).status == 0);
  const Outcome misspelt = run("sweep", "all", {"--assert", "goodputt>0"});
  CHECK(misspelt.status == 2);
  CHECK_THAT(misspelt.error, Contains("did you mean \"goodput\"?"));
  const Outcome none = run("sweep", "none", {"--set", "liveness.deadline=11s"});
  CHECK(none.status == 4);
  CHECK_THAT(none.error, Contains("no run has ended"));
}

}  // namespace dipaco::testing
