#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>

#include "core/base/file.hpp"
#include "tests/growth/bare_run.hpp"
#include "tests/growth/growth.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// What one doubling may cost at most, beyond what the bare program's costs more.
constexpr double kMost = 2.3;

// Processor time is never less than what the work takes, and more where others disturb: the least of some runs counts,
// and of more where these are beyond the bound. Instructions need no second run.
constexpr int kFewestRuns = 3;
constexpr int kMostRuns = 12;

const SiteRun kPaper{.scenario = DIPACO_SOURCE_DIR "/tests/sim/paper_16x16_fat.xml",
                     .sites = {"east", "west", "north", "south"},
                     .workers = 64,
                     .executors = 8,
                     .executor = 64,
                     .store = 72,
                     .speed = 4992e12};

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size())) {
    text.replace(at, old.size(), by);
  }
  return text;
}

/// The paper's platform with so many of each site's workers and executors, so that a run of any size has a quarter of
/// its paths and of its modules in each site.
SiteRun paper_with(int workers, int executors, const std::filesystem::path& folder) {
  const auto names = [](int first, int count) {
    return "-[" + std::to_string(first) + "-" + std::to_string(first + count - 1) + "]";
  };
  SiteRun run = kPaper;
  std::string text = read_text(run.scenario);
  text = replaced(text, "\"../../scenarios/runs/", "\"" DIPACO_SOURCE_DIR "/scenarios/runs/");
  text = replaced(text, names(0, run.workers), names(0, workers));
  text = replaced(text, names(run.executor, run.executors), names(run.executor, executors));
  run.scenario = (folder / (std::to_string(workers) + ".xml")).string();
  run.workers = workers;
  run.executors = executors;
  write_file(run.scenario, text);
  return run;
}

/// A run of one size.
struct Sized {
  SiteRun run;
  RunSize size;
};

/// Each size once, one program after the other. @return whether instructions were counted
bool measure_once(const std::vector<Sized>& sizes, Growth& instructions, Growth& seconds) {
  bool counted = true;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto& [run, size] = sizes[k];
    const SimulatedRun ours = run_simulated(run, size);
    const BareRun bare = run_bare(run, size, ours.summary);
    seconds.add(k, ours.ended.seconds, bare.ended.seconds);
    counted = counted && ours.ended.counted && bare.ended.counted;
    if (!counted) continue;
    instructions.add(k, static_cast<double>(*ours.ended.counted), static_cast<double>(*bare.ended.counted));
  }
  return counted;
}

/// Of instructions where they can be counted, otherwise of processor time. @param sizes  each twice the one before
Growth measure(const std::vector<Sized>& sizes) {
  Growth instructions(sizes.size(), Measure::instructions);
  Growth seconds(sizes.size(), Measure::seconds);
  for (int runs = 1; runs <= kMostRuns; ++runs) {
    if (measure_once(sizes, instructions, seconds)) return instructions;
    if (runs >= kFewestRuns && seconds.each_doubling() <= kMost) break;
  }
  return seconds;
}

/// Messages that are not of the start or of the end: what the bare program has as well.
std::int64_t messages_of_rounds(const nlohmann::json& summary) {
  std::int64_t count = 0;
  for (const char* kind :
       {"task", "put_path_state", "stored", "committed", "outer_gradient", "task_done", "module", "module_ready"}) {
    count += summary.at(std::string("messages_") + kind).get<std::int64_t>();
  }
  return count;
}

/// Where nothing goes through a site's store, and paths and modules go out in their order: as the bare program has it.
/// @param modules  each is said to be ready at the start, too
void check_alike(const SiteRun& run, const RunSize& size, int modules) {
  const SimulatedRun ours = run_simulated(run, size, {"run.site_cache=off", "run.place=spread"});
  const BareRun bare = run_bare(run, size, ours.summary);
  CHECK(bare.messages == messages_of_rounds(ours.summary) - modules);
  CHECK(bare.simulated_s == Approx(ours.summary.at("simulated_s").get<double>()).epsilon(1e-3));
}

/// Of a run of the paper, by valgrind, which counts the same on every processor: {dipaco-sim's, the bare program's}.
std::pair<double, double> instructions_of(int outer_steps) {
  const TemporaryFolder folder;
  const std::string log = (folder.path() / "log").string();
  SiteRun run = kPaper;
  run.under = {"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=" + log};
  const auto counted = [&] {
    const std::string text = read_text(log);
    const std::string before = "Collected : ";
    return std::stod(text.substr(text.rfind(before) + before.size()));  // the rehearsal's process ends first
  };
  const RunSize size{"16x16", outer_steps};
  const SimulatedRun ours = run_simulated(run, size, {"run.site_cache=off", "run.place=spread"});
  const double ours_counted = counted();
  run_bare(run, size, ours.summary);
  return {ours_counted, counted()};
}

}  // namespace

TEST_CASE("an outer step takes the simulator at most 1.4 times bare SimGrid's instructions", "[growth]") {
  const auto few = instructions_of(2);
  const auto more = instructions_of(8);
  const double ours = (more.first - few.first) / 6;
  const double bare = (more.second - few.second) / 6;
  REQUIRE(ours > 0);
  CHECK(ours / bare <= 1.4);
  std::cout << "instructions of an outer step: " << ours << " against " << bare << ", " << ours / bare << "\n";
}

TEST_CASE("twice the outer steps take the simulator at most 2.3 times as long, beyond bare SimGrid", "[growth]") {
  const Growth growth = measure({{kPaper, {"8x8", 100}}, {kPaper, {"8x8", 200}}, {kPaper, {"8x8", 400}}});
  INFO(growth.text());
  CHECK(growth.each_doubling() <= kMost);
  std::cout << "100, 200 and 400 outer steps: " << growth.text() << "\n";
}

TEST_CASE("twice the paths take the simulator at most 2.3 times as long, beyond bare SimGrid", "[growth]") {
  const TemporaryFolder folder;
  const Growth growth = measure({{paper_with(16, 4, folder.path()), {"8x8", 40}},
                                 {paper_with(32, 6, folder.path()), {"8x16", 40}},
                                 {paper_with(64, 8, folder.path()), {"16x16", 40}}});
  INFO(growth.text());
  CHECK(growth.each_doubling() <= kMost);
  std::cout << "64, 128 and 256 paths: " << growth.text() << "\n";
}

TEST_CASE("the bare program sends the messages of the paper's run, in the same simulated time", "[growth]") {
  check_alike(kPaper, {"16x16", 3}, 32);
  check_alike(kPaper, {"8x16", 3}, 24);
}

TEST_CASE("the bare program sends the messages of a fleet whose executors have several modules each", "[growth]") {
  const TemporaryFolder folder;
  const std::string scenario = (folder.path() / "fleet.xml").string();
  const std::string make = "bash " DIPACO_SOURCE_DIR "/scripts/make_fleet.sh 4 12 " DIPACO_SOURCE_DIR
                           "/scenarios/runs/fleet_10k.cfg >'" +
                           scenario + "'";
  REQUIRE(std::system(make.c_str()) == 0);
  const SiteRun fleet{.scenario = scenario,
                      .sites = {"s0", "s1", "s2", "s3"},
                      .workers = 10,
                      .executors = 1,
                      .executor = 10,
                      .store = 11,
                      .speed = 2496e12};
  check_alike(fleet, {"6x5", 4}, 11);
}

}  // namespace dipaco::testing
