// Machines that fail, are reclaimed and withheld, through dipaco-sim: what is lost against the arithmetic.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <map>
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

/// A site z: a host s that coordinates and keeps, and hosts w0, w1, ... that work, an inner step a second. A message
/// takes microseconds. @param of_zone, of_w0  props
std::string one_site(int workers, const std::string& of_zone, const std::string& of_w0 = "") {
  std::string hosts = R"(<host id="s" speed="1Tf"/>)";
  std::string links;
  std::string routes;
  for (int k = 0; k < workers; ++k) {
    const std::string w = "w" + std::to_string(k);
    hosts += "\n<host id=\"" + w + "\" speed=\"1Tf\">" + (k == 0 ? of_w0 : "") + "</host>";
    links += "<link id=\"l" + w + R"(" bandwidth="100Gbps" latency="1us"/>)";
    routes += "<route src=\"s\" dst=\"" + w + "\"><link_ctn id=\"l" + w + "\"/></route>";
    for (int j = 0; j < k; ++j) {
      routes += "<route src=\"w" + std::to_string(j) + "\" dst=\"" + w + "\"><link_ctn id=\"l" + w + "\"/></route>";
    }
  }
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\"><prop id=\"coordinator\" value=\"s\"/>"
         "<prop id=\"workers\" value=\"w[0-" +
         std::to_string(workers - 1) +
         "]\"/><prop id=\"store\" value=\"s\"/><prop id=\"executors\" value=\"s\"/>"
         "<prop id=\"step_time\" value=\"1s\"/>\n" +
         of_zone + "\n" + hosts + links + routes + "\n</zone></platform>\n";
}

std::string a_prop(const std::string& name, const std::string& value) {
  return "<prop id=\"" + name + "\" value=\"" + value + "\"/>";
}

/// dipaco-sim on a scenario; nothing is learned. A CSV spot.csv lies beside it.
struct AbsenceRun {
  explicit AbsenceRun(const std::string& scenario, const std::vector<std::string>& set = {},
                      const std::string& trace = "time_s,available\n0,4\n40,2\n70,4\n100,3\n") {
    write_file(folder.path() / "s.xml", scenario);
    write_file(folder.path() / "spot.csv", trace);
    std::vector<std::string> words{folder.path() / "s.xml", "--learn", "off", "--out", folder.path() / "out"};
    words.insert(words.end(), {"--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg", "--events", "on"});
    for (const std::string& setting : set) words.insert(words.end(), {"--set", setting});
    outcome = run_built("dipaco-sim", words);
    if (outcome.status == 0) summary = nlohmann::json::parse(read_text(folder.path() / "out/summary.json"));
  }
  double number(const std::string& key) const { return summary.at(key).get<double>(); }
  /// When workers went down (or came up), by their numbers from 0; those at the start come at 0.
  std::map<int, std::vector<double>> times(const std::string& kind) const {
    std::map<int, std::vector<double>> result;
    for (const std::string& line : split(read_text(folder.path() / "out/events.csv"), '\n')) {
      const auto cells = split(line, ',');
      if (cells.size() < 3 || cells[1] != kind) continue;
      const int worker = static_cast<int>(parse_integer(cells[2]).value()) - kOthers;
      if (worker >= 0) result[worker].push_back(parse_number(cells[0]).value());
    }
    return result;
  }
  TemporaryFolder folder;
  Outcome outcome;
  nlohmann::json summary;

  static constexpr int kOthers = 3;  ///< coordinator, executor and store have the first numbers
};

constexpr const char* kCauses[] = {"reclaimed_with_notice", "reclaimed_without_notice", "failed", "withheld", "other"};

/// What the split figures have in common: their parts are the whole.
void check_sums(const AbsenceRun& run) {
  for (const std::string figure : {"inner_steps_lost", "tasks_requeued", "workers_lost", "worker_lost_s"}) {
    CAPTURE(figure);
    double sum = 0;
    for (const std::string cause : kCauses) sum += run.number(figure + "_" + cause);
    CHECK(sum == Approx(run.number(figure)).margin(1e-6));
  }
}

/// How many workers are up at each change, from the events of a run: {time, count}, in order of time.
std::vector<std::pair<double, int>> up_counts(const AbsenceRun& run) {
  std::map<double, int> changes;
  for (const auto& [worker, times] : run.times("node_up")) {
    for (const double time : times) ++changes[time];
  }
  for (const auto& [worker, times] : run.times("node_down")) {
    for (const double time : times) --changes[time];
  }
  std::vector<std::pair<double, int>> counts;
  int count = 0;
  for (const auto& [time, change] : changes) counts.emplace_back(time, count += change);
  return counts;
}

const std::vector<std::string> kLongTasks{"topology.levels=2x2", "inner.steps=30", "outer.steps=5"};

}  // namespace

// One path and one worker. A task takes D = 100 s of inner steps; its machine fails after exponential times of mean
// M = 200 s, and is there again R = 30 s later. A task that is lost costs what it had done.
//   An exponential has no memory, so each attempt lasts until min(D, X), X new. It ends in a failure with
//   probability 1 - exp(-D/M), and takes in the mean M (1 - exp(-D/M)).
//   A task has in the mean exp(D/M) attempts, so it takes M (exp(D/M) - 1) seconds of inner steps, lost ones with it,
//   and exp(D/M) - 1 repairs.
//   The seconds lost for a task are M (exp(D/M) - 1) - D. The seconds provisioned for a useful one are
//   (M + R) (exp(D/M) - 1) / D: goodput is the inverse.
// Useful seconds are the same in each run, so the mean over runs of both is free of bias.
TEST_CASE("goodput under exponential failures is the arithmetic's, within the 95 % interval of 200 seeds", "[sim]") {
  constexpr double kTask = 100;
  constexpr double kMean = 200;
  constexpr double kRepair = 30;
  constexpr double kTasks = 20;
  const TemporaryFolder folder;
  write_file(folder.path() / "s.xml", one_site(1, a_prop("failures", "exponential 200s") + a_prop("repair", "30s")));
  const Outcome outcome = run_built(
      "dipaco-sim", {"sweep", folder.path() / "s.xml", "--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg", "--learn",
                     "off", "--set", "topology.levels=1", "--set", "inner.steps=100", "--set", "outer.steps=20",
                     "--over", "zone:z.step_time=1s", "--repeat", "200", "--out", folder.path() / "out"});
  REQUIRE(outcome.status == 0);
  const auto lines = split(read_text(folder.path() / "out/sweep.csv"), '\n');
  const auto names = split(lines.front(), ',');
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  const std::size_t provisioned = column("worker_provisioned_s");
  const std::size_t lost = column("worker_lost_s");
  std::vector<double> for_each_useful;
  std::vector<double> lost_of_task;
  for (std::size_t k = 1; k < lines.size() && !lines[k].empty(); ++k) {
    // One cell before these, the network model, has two commas in its quotes.
    const auto cells = split(lines[k], ',');
    for_each_useful.push_back(parse_number(cells[provisioned + cells.size() - names.size()]).value() /
                              (kTasks * kTask));
    lost_of_task.push_back(parse_number(cells[lost + cells.size() - names.size()]).value() / kTasks);
  }
  REQUIRE(for_each_useful.size() == 200);
  const auto check_mean = [](const std::vector<double>& values, double expected) {
    double sum = 0;
    double squares = 0;
    for (const double value : values) sum += value;
    const double mean = sum / 200;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double half = 1.96 * std::sqrt(squares / 199 / 200);
    std::printf("%.4f by arithmetic, mean of 200 seeds %.4f +- %.4f\n", expected, mean, half);
    CAPTURE(mean, half, expected);
    CHECK(std::abs(mean - expected) < half);
    CHECK(half < 0.1 * expected);  // the interval says something
  };
  const double failures = std::exp(kTask / kMean) - 1;
  check_mean(lost_of_task, kMean * failures - kTask);
  check_mean(for_each_useful, (kMean + kRepair) * failures / kTask);
}

TEST_CASE("a machine fails at the same moments whatever else the run does", "[sim]") {
  const std::string site = one_site(3, a_prop("failures", "weibull 80s 0.8") + a_prop("repair", "exponential 10s"));
  const auto some = AbsenceRun(site, {"inner.steps=30", "outer.steps=4", "topology.levels=2"}).times("node_down");
  const auto others = AbsenceRun(site, {"inner.steps=5", "outer.steps=30", "topology.levels=2x2"}).times("node_down");
  REQUIRE(some.size() == 3);
  for (const auto& [worker, times] : some) {
    REQUIRE(others.contains(worker));
    const std::size_t both = std::min(times.size(), others.at(worker).size());
    REQUIRE(both > 0);
    for (std::size_t k = 0; k < both; ++k) CHECK(times[k] == others.at(worker)[k]);
  }
  CHECK(some.at(0).front() != some.at(1).front());
  const auto seeded = AbsenceRun(site, {"run.seed=7", "outer.steps=30"}).times("node_down");
  CHECK(seeded.at(0).front() != some.at(0).front());
}

TEST_CASE("a host's own failures stand in place of its zone's mtbf", "[sim]") {
  const auto site = one_site(2, a_prop("mtbf", "1000000h") + a_prop("mttr", "5s"),
                             a_prop("failures", "37s") + a_prop("repair", "3s"));
  const AbsenceRun run(site, kLongTasks);
  REQUIRE(run.outcome.status == 0);
  const auto down = run.times("node_down");
  REQUIRE(down.contains(0));
  CHECK(down.at(0)[0] == Approx(37));
  CHECK(down.at(0)[1] == Approx(77));  // 37 s after it was there again, at 40
  CHECK(!down.contains(1));
  check_sums(run);
  CHECK(run.number("workers_lost_failed") == run.number("workers_lost"));
  CHECK(run.number("inner_steps_lost_failed") > 0);
}

TEST_CASE("a reclaim takes all of a zone's machines at one instant, and gives them back at one", "[sim]") {
  const AbsenceRun run(one_site(4, a_prop("reclaims", "exponential 60s") + a_prop("given_back", "20s")), kLongTasks);
  REQUIRE(run.outcome.status == 0);
  const auto down = run.times("node_down");
  const auto up = run.times("node_up");
  REQUIRE(down.size() == 4);
  REQUIRE(down.at(0).size() > 1);
  for (const auto& [worker, times] : down) CHECK(times == down.at(0));
  for (const auto& [worker, times] : up) CHECK(times == up.at(0));
  CHECK(up.at(0)[1] == Approx(down.at(0)[0] + 20));
  check_sums(run);
  CHECK(run.number("workers_lost_reclaimed_without_notice") == run.number("workers_lost"));
  CHECK(run.number("worker_provisioned_s") == run.number("worker_up_s"));  // who takes it is not paid for it
}

TEST_CASE("a capacity is never exceeded, whatever else takes machines, and all are there outside of it", "[sim]") {
  const std::string capacity = a_prop("capacity", "1 from 20s to 60s, 0 from 80s to 90s");
  const AbsenceRun alone(one_site(4, capacity), kLongTasks);
  REQUIRE(alone.outcome.status == 0);
  const auto counts = up_counts(alone);
  REQUIRE(counts.size() == 5);
  CHECK(counts[0] == std::pair(0.0, 4));
  CHECK(counts[1] == std::pair(20.0, 1));
  CHECK(counts[2] == std::pair(60.0, 4));
  CHECK(counts[3] == std::pair(80.0, 0));
  CHECK(counts[4] == std::pair(90.0, 4));
  check_sums(alone);
  CHECK(alone.number("workers_lost_withheld") == 7);
  CHECK(alone.number("inner_steps_lost_withheld") == alone.number("inner_steps_lost"));
  const AbsenceRun all(
      one_site(4, capacity + a_prop("preemption", "spot.csv") + a_prop("failures", "exponential 50s") +
                      a_prop("repair", "5s") + a_prop("reclaims", "exponential 100s") + a_prop("given_back", "10s")),
      kLongTasks);
  REQUIRE(all.outcome.status == 0);
  for (const auto& [time, count] : up_counts(all)) {
    CAPTURE(time);
    const int most = time >= 80 && time < 90 ? 0 : time >= 20 && time < 60 ? 1 : time >= 100 ? 3 : 4;
    CHECK(count <= most);
  }
  check_sums(all);
  for (const std::string cause : {"reclaimed_without_notice", "failed", "withheld"}) {
    CAPTURE(cause);
    CHECK(all.number("workers_lost_" + cause) > 0);
  }
}

TEST_CASE("what is lost with a notice and without one is told apart", "[sim]") {
  const std::string taken = a_prop("capacity", "4 from 1s to 2s") + a_prop("preemption", "spot.csv");
  const AbsenceRun without(one_site(4, taken), kLongTasks);
  check_sums(without);
  CHECK(without.number("inner_steps_lost_reclaimed_without_notice") > 0);
  CHECK(without.number("workers_lost_reclaimed_with_notice") == 0);
  const AbsenceRun with(one_site(4, taken + a_prop("notice", "10s")), kLongTasks);
  check_sums(with);
  CHECK(with.number("workers_lost_reclaimed_with_notice") == without.number("workers_lost"));
  CHECK(with.number("inner_steps_lost") == 0);  // handed back
}

TEST_CASE("a trace's section, scales and end are what the zone says", "[sim]") {
  const auto downs = [](const std::string& more) {
    const AbsenceRun run(one_site(4, a_prop("preemption", "spot.csv") + more), kLongTasks);
    REQUIRE(run.outcome.status == 0);
    std::string text;
    for (const auto& [worker, times] : run.times("node_down")) {
      text += std::to_string(worker) + ":";
      for (const double time : times) text += " " + format_fixed(time, 0);
      text += "; ";
    }
    return text;
  };
  // 4 machines, 2 from 40 s, 4 from 70 s, 3 from 100 s.
  CHECK(downs("") == "2: 40; 3: 40 100; ");
  CHECK(downs(a_prop("preemption_end", "hold")) == "2: 40; 3: 40 100; ");
  CHECK(downs(a_prop("preemption_time_scale", "0.5")).starts_with("2: 20; 3: 20 50; "));
  CHECK(downs(a_prop("preemption_offset", "25s")) == "2: 15; 3: 15 75; ");
  CHECK(downs(a_prop("preemption_machine_scale", "0.5")) == "1: 40; ");  // 2 and 1 machines
  CHECK(downs(a_prop("preemption_end", "repeat")).starts_with("2: 40 140"));
}

TEST_CASE("a scenario with nothing of this has no key of it", "[sim]") {
  const AbsenceRun run(one_site(4, a_prop("preemption", "spot.csv")), kLongTasks);
  REQUIRE(run.outcome.status == 0);
  for (const auto& [key, value] : run.summary.items()) {
    for (const std::string cause : kCauses) CHECK_THAT(key, !Catch::EndsWith("_" + cause));
  }
}

TEST_CASE("docs/reading-the-output.md has the figures and the causes of what is lost", "[sim]") {
  const std::string page = read_text(std::filesystem::path(DIPACO_SOURCE_DIR) / "docs/reading-the-output.md");
  const AbsenceRun run(one_site(4, a_prop("capacity", "1 from 20s to 60s")), kLongTasks);
  std::set<std::string> figures;
  for (const std::string cause : kCauses) {
    CHECK_THAT(page, Contains("| `" + cause + "` |"));
    for (const auto& [key, value] : run.summary.items()) {
      if (key.ends_with("_" + cause)) figures.insert(key.substr(0, key.size() - cause.size()) + "CAUSE");
    }
  }
  CHECK(figures.size() == 6);
  for (const std::string& figure : figures) CHECK_THAT(page, Contains("`" + figure + "`"));
}

}  // namespace dipaco::testing
