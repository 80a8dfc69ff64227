// dipaco-run --backend gloo, of which all processes are stopped and started again: what its reports say of both parts.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/file.hpp"
#include "tests/gloo/started.hpp"

namespace dipaco::testing {
namespace {

constexpr int kOuterSteps = 60;
constexpr int kTasks = 4 * kOuterSteps;
constexpr int kInnerSteps = 4 * kTasks;
/// Longer than a test may take: whoever waits for it is noticed.
constexpr double kLivenessLimit = 300;

void start_all(Started& run) {
  const Words words{"--learn",     "off",
                    "--step-time", "5ms",
                    "--set",       "outer.steps=" + std::to_string(kOuterSteps),
                    "--set",       "liveness.limit=" + std::to_string(static_cast<int>(kLivenessLimit)) + "s",
                    "--set",       "liveness.period=1s",
                    "--set",       "liveness.deadline=2h"};
  run.all().clear();
  run.node("coordinator", joined(words, {"--role", "store", "--role", "executor", "--events", "on"}));
  run.node("worker", words);
  run.node("worker", words);
}

/// Stops all in the middle of the run, starts all again, and waits for the end.
nlohmann::json run_in_two_parts(Started& run, int signal) {
  start_all(run);
  // A path state is in the store's folder once a task is committed.
  const std::filesystem::path journal = std::filesystem::path(run.out()) / "nodes/coordinator-0/storage/journal";
  const auto works = [&] { return std::filesystem::exists(journal) && std::filesystem::file_size(journal) > 8000; };
  for (const double until = now() + kProcessLimit; !works() && now() < until;) run.all().back().wait(0.02);
  REQUIRE(works());
  for (const Spawned& process : run.all()) process.signal(signal);
  for (Spawned& process : run.all()) REQUIRE(process.wait(kProcessLimit) != -1);
  CHECK_FALSE(std::filesystem::exists(run.out() + "/summary.json"));
  start_all(run);
  for (Spawned& process : run.all()) {
    const int status = process.wait(kProcessLimit);
    INFO(process.log());
    CHECK(status == 0);
  }
  return nlohmann::json::parse(read_text(run.out() + "/summary.json"));
}

/// Seconds of the events of one kind, in the file's order.
std::vector<double> times_of(const Started& run, const std::string& kind) {
  std::istringstream lines(read_text(run.out() + "/events.csv"));
  std::vector<double> times;
  for (std::string line; std::getline(lines, line);) {
    const auto comma = line.find(',');
    if (line.compare(comma + 1, kind.size() + 1, kind + ",") == 0) times.push_back(std::stod(line.substr(0, comma)));
  }
  return times;
}

/// That both parts of the run are in its account, and what was between them is not.
void check_account(const nlohmann::json& summary, const Started& run) {
  CHECK(summary["tasks_completed"] == kTasks);
  CHECK(summary["inner_steps_computed"].get<int>() - summary["inner_steps_lost"].get<int>() == kInnerSteps);
  REQUIRE(summary.contains("resumed_from_outer_step"));
  CHECK(summary["resumed_from_outer_step"] > 0);
  CHECK(summary["resumed_from_outer_step"] < kOuterSteps);
  const double elapsed = summary["elapsed_s"];
  CHECK(summary["worker_up_s"] > 0);
  CHECK(summary["worker_up_s"] <= 2 * elapsed);  // never more than two at once
  CHECK(summary["worker_provisioned_s"] <= 2 * elapsed);
  CHECK(summary["workers_lost"] >= 2);
  CHECK(elapsed < kLivenessLimit / 2);
  const auto assigned = times_of(run, "task_assigned");
  CHECK(static_cast<int>(assigned.size()) >= kTasks);
  CHECK(std::ranges::is_sorted(assigned));
}

}  // namespace

TEST_CASE("of a run whose processes were all told to stop and started again, all counts once, and nobody waits",
          "[gloo]") {
  Started run;
  const auto summary = run_in_two_parts(run, SIGTERM);
  check_account(summary, run);
  CHECK(summary["workers"] == 4);  // who has left comes back as another
  CHECK(summary["inner_steps_lost"] == 0);
}

TEST_CASE("of a run whose processes were all killed and started again, all that was committed counts", "[gloo]") {
  Started run;
  const auto summary = run_in_two_parts(run, SIGKILL);
  check_account(summary, run);
  CHECK(summary["workers"] == 2);
}

TEST_CASE("a worker whose tasks would outlast the deadline ends at once with status 2 and both values", "[gloo]") {
  Started run;
  // Four inner steps a task.
  Spawned& slow = run.node("worker", {"--learn", "off", "--step-time", "5s", "--set", "liveness.deadline=20s"});
  CHECK(slow.wait(kProcessLimit) == 2);
  CHECK_THAT(slow.log(), Catch::Contains("liveness.deadline=20s is not above the 20 s") &&
                             Catch::Contains("--step-time") && Catch::Contains("inner.steps"));
}

TEST_CASE("a run of processes that ends for want of progress leaves all reports, and goes on with the same commands",
          "[gloo]") {
  Started run;
  const Words words{"--learn", "off", "--step-time", "1ms"};
  const Words waits =
      joined(words, {"--set", "liveness.period=0.3s", "--set", "liveness.limit=1s", "--set", "liveness.deadline=3s"});
  Spawned& lonely = run.node("coordinator", joined(waits, {"--role", "store", "--role", "executor", "--events", "on"}));
  CHECK(lonely.wait(kProcessLimit) == 4);
  CHECK_THAT(lonely.log(), Catch::Contains("no progress for 3 s: 0 workers") && Catch::Contains("start workers"));
  for (const char* file : {"tasks.csv", "workers.csv", "links.csv", "outer_steps.csv", "events.csv", "trace.json"}) {
    INFO(file);
    CHECK(std::filesystem::exists(run.out() + "/" + file));
  }
  auto summary = nlohmann::json::parse(read_text(run.out() + "/summary.json"));
  CHECK(summary["finished"] == false);
  CHECK(lonely.log().find(summary["why_unfinished"].get<std::string>()) != std::string::npos);
  CHECK(summary["tasks_completed"] == 0);
  run.node("worker", words);
  Spawned& again = run.node("coordinator", joined(words, {"--role", "store", "--role", "executor"}));
  CHECK(again.wait(kProcessLimit) == 0);
  summary = nlohmann::json::parse(read_text(run.out() + "/summary.json"));
  CHECK(summary["finished"] == true);
  CHECK_FALSE(summary.contains("why_unfinished"));
  CHECK(summary["tasks_completed"] == 12);
}

}  // namespace dipaco::testing
