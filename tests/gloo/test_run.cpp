#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>

#include "core/state/refusals.hpp"
#include "tests/gloo/processes.hpp"
#include "tests/gloo/toy_run.hpp"
#include "tests/support/strange_messages.hpp"

namespace dipaco::testing {
namespace {

constexpr Seconds kRunLimit{90};

/// One coordinator, two executors, two stores, three workers, an evaluator.
std::vector<ToyProcess> everybody() {
  return {{"coordinator"}, {"store"},  {"store"},  {"executor"}, {"executor"},
          {"worker"},      {"worker"}, {"worker"}, {"evaluator"}};
}
constexpr const char* kExpect = "2,2,1";

/// The same without an evaluator: workers do its jobs, too.
ToySetting nobody_evaluates() {
  auto all = everybody();
  all.pop_back();
  return {std::move(all), "2,2,0"};
}

}  // namespace

TEST_CASE("nine processes end with the parameters of a run in one", "[gloo]") {
  ToyProcesses processes({everybody(), kExpect});
  const std::string answer = run(processes, kRunLimit);
  INFO(processes.logs());
  CHECK(answer == loopback_hash(ToyRun()));
  CHECK(processes.signals().empty());
}

TEST_CASE("a coordinator that is killed before it has kept what the run came to begins anew and says it", "[gloo]") {
  auto processes = everybody();
  processes[0].first = {"fault_at_end=" + std::to_string(SIGKILL)};
  ToyProcesses all({std::move(processes), kExpect});
  const std::string answer = run(all, kRunLimit);
  INFO(all.logs());
  CHECK(answer == loopback_hash(ToyRun()));
  CHECK(all.signals() == std::vector{SIGKILL});
}

TEST_CASE("processes under a policy without rounds settle each contribution once, also if a worker is killed",
          "[gloo]") {
  std::deque<ToyProcesses> runs;
  const std::vector<ToyKind> kinds{ToyKind::asynchronous, ToyKind::by_speed, ToyKind::quorum, ToyKind::regions};
  for (const ToyKind kind : kinds) {
    for (const bool killed : {false, true}) {
      ToySetting setting{{{"coordinator,store"}, {"executor"}, {"worker"}, {"worker"}, {"worker"}}, "1,1,0", kind};
      setting.processes[4].first = {"slow=3"};
      // Who gets a path's third task is open without rounds: it is killed in its own first one.
      if (killed) setting.processes[3].first = {"fault=" + std::to_string(SIGKILL) + ",computing,-1"};
      runs.emplace_back(std::move(setting));
    }
  }
  const auto answers = run_all(runs, kRunLimit);
  for (std::size_t k = 0; k < answers.size(); ++k) {
    INFO("kind " << static_cast<int>(kinds[k / 2]) << "\n" << runs[k].logs());
    const bool by_speed = kinds[k / 2] == ToyKind::by_speed;
    // Four modules, two paths each, six outer steps, of five inner steps where all are equally long.
    CHECK(answers[k] == std::string(by_speed ? "120 inner steps" : "48 contributions") + ", all settled, replayed");
    CHECK(answers[k] == loopback_hash(ToyRun(kinds[k / 2])) + ", replayed");
    CHECK(std::ssize(runs[k].signals()) == static_cast<std::ptrdiff_t>(k % 2));
  }
}

TEST_CASE("several roles in a process, and one process for all, end with the same parameters", "[gloo]") {
  const std::string hash = loopback_hash(ToyRun());
  ToyProcesses two({{{"coordinator,store,executor"}, {"worker,worker,executor,store"}}, "2,2,0"});
  CHECK(run(two, kRunLimit) == hash);
  ToyProcesses one({{{"coordinator,store,executor,worker,worker"}}, "1,1,0"});
  CHECK(run(one, kRunLimit) == hash);
}

TEST_CASE("a node that sends what the run does not have disturbs nobody, and each of its messages is counted",
          "[gloo]") {
  const ToyRun toy;
  const std::vector<ToyProcess> nodes{{"coordinator,store"}, {"executor"}, {"worker"}, {"worker", {"strange=5"}}};
  ToyProcesses processes({nodes, "1,1,0"});
  const std::string answer = run(processes, kRunLimit);
  INFO(processes.logs());
  CHECK(answer == loopback_hash(toy));
  CHECK(processes.signals().empty());
  const std::string told = "message_refused: ";
  const std::string log = processes.log_of(0);
  REQUIRE_THAT(log, Catch::Contains(told));
  const std::size_t refused = std::stoul(log.substr(log.find(told) + told.size()));
  const std::size_t all = strange_messages(toy.plan).size();
  // By the coordinator and itself at least: whoever came after the liveness limit was sent none.
  CHECK(refused >= 2 * all);
  CHECK(refused <= 5 * all);
  ToyProcesses usual({{{"coordinator,store"}, {"executor"}, {"worker"}, {"worker"}}, "1,1,0"});
  CHECK(run(usual, kRunLimit) == answer);
  CHECK_THAT(usual.log_of(0), Catch::Contains("message_refused: 0"));
}

TEST_CASE("a process whose state is not finite once, or for ever, changes no parameter and ends no process", "[gloo]") {
  const bool for_ever = GENERATE(false, true);
  const std::vector<ToyProcess> nodes{{"coordinator,store"},
                                      {"executor"},
                                      {"worker"},
                                      {"worker"},
                                      {"worker", {std::string("poison=") + (for_ever ? "1000" : "0.3")}}};
  ToyProcesses processes({nodes, "1,1,0"});
  const std::string answer = run(processes, kRunLimit);
  INFO(processes.logs());
  CHECK(answer == loopback_hash(ToyRun()));
  CHECK(processes.signals().empty());
  const std::string told = processes.log_of(0);
  CHECK_THAT(told, Catch::Contains("is not finite") && Catch::Contains(" on machine"));
  const std::string refused = "state_refused: " + std::to_string(for_ever ? kRefusalsInARow : 1);
  CHECK_THAT(told, Catch::Contains(refused + "\nworker_set_aside: " + (for_ever ? "1" : "0")));
  CHECK((told.find("is set aside") != std::string::npos) == for_ever);
}

TEST_CASE("one worker fetches states that hold no values of its own", "[gloo]") {
  ToyProcesses processes({{{"coordinator,store"}, {"executor"}, {"worker"}}, "1,1,0", ToyKind::plain});
  const std::string answer = run(processes, kRunLimit);
  INFO(processes.logs());
  CHECK(answer == loopback_hash(ToyRun(ToyKind::plain)));
}

TEST_CASE("processes that learn nothing come to the end of the run", "[gloo]") {
  ToyProcesses processes({{{"coordinator,store"}, {"executor"}, {"worker"}, {"worker"}}, "1,1,0", ToyKind::charged});
  const std::string answer = run(processes, kRunLimit);
  INFO(processes.logs());
  CHECK(answer == loopback_hash(ToyRun(ToyKind::charged)));
}

namespace {

/// Kills, stops for long and tells to end the processes of one role at a stage, in a run for each.
/// @param processes  of the role: which of them comes to the stage first differs
void disturb(const std::vector<std::size_t>& processes, const char* stage, const char* outer_step,
             const ToySetting& setting = {everybody(), kExpect}) {
  static const std::string kHash = loopback_hash(ToyRun());
  std::deque<ToyProcesses> runs;
  const std::vector<int> signals{SIGKILL, SIGSTOP, SIGTERM};
  for (const int signal : signals) {
    ToySetting struck = setting;
    for (const std::size_t k : processes) {
      struck.processes[k].first = {"fault=" + std::to_string(signal) + "," + stage + "," + outer_step};
    }
    runs.emplace_back(std::move(struck));
  }
  const auto answers = run_all(runs, kRunLimit);
  for (std::size_t k = 0; k < signals.size(); ++k) {
    INFO(everybody()[processes[0]].roles << ", " << stage << ", signal " << signals[k] << "\n" << runs[k].logs());
    CHECK(answers[k] == kHash);
    CHECK(runs[k].states_left() == 0);
    CHECK(runs[k].logs().find("strikes itself with " + std::to_string(signals[k])) != std::string::npos);
    const bool ends = std::string(stage) == "finishing";  // sooner than it sees that it is told to
    const bool leaves = signals[k] == SIGTERM && (processes[0] >= 5 || ends);
    const auto& came = runs[k].signals();
    // The run may end in the time that it has from then on.
    const bool told = signals[k] == SIGTERM && runs[k].logs().find("told to stop") != std::string::npos;
    CHECK((leaves || told || std::ranges::count(came, signals[k]) > 0));
    CHECK(std::ranges::count(came, signals[k]) == std::ssize(came));
  }
}

}  // namespace

TEST_CASE("a coordinator that is killed, stopped or told to end, at any stage, changes no parameter", "[gloo]") {
  disturb({0}, "any", "-1");
  disturb({0}, "assigning", "2");
  disturb({0}, "storing", "-1");
}

TEST_CASE("a store that is killed, stopped or told to end, at any stage, changes no parameter", "[gloo][long]") {
  disturb({1, 2}, "hello", "-1");
  disturb({1, 2}, "storing", "3");
  disturb({1, 2}, "sending", "-1");
}

TEST_CASE("an executor that is killed, stopped or told to end, at any stage, changes no parameter", "[gloo][long]") {
  disturb({3}, "hello", "-1");
  disturb({3}, "sending", "2");
  disturb({3}, "stepping", "3");
}

TEST_CASE("a worker that is killed, stopped or told to end, at any stage, changes no parameter", "[gloo][long]") {
  disturb({5}, "hello", "-1");
  disturb({5}, "gathering", "-1");
  disturb({5}, "computing", "-1");
  disturb({5}, "storing", "-1");
  disturb({5}, "sending", "-1");
  // Scores for the re-sharding before outer step 3: nothing else is due then.
  disturb({5, 6}, "evaluating", "2", nobody_evaluates());
}

TEST_CASE("an evaluator that is killed, stopped or told to end, at any stage, changes no parameter", "[gloo][long]") {
  disturb({8}, "hello", "-1");
  disturb({8}, "evaluating", "-1");
  disturb({8}, "evaluating", "2");  // in the middle of the re-sharding's scores
}

namespace {

/// What processes of a role do, one of whom comes to it first.
struct Moment {
  std::vector<std::size_t> processes;
  const char* stage;
  bool at_each_step = true;  ///< of the outer steps; else once or at places that differ
};

std::vector<Moment> all_moments() {
  const std::vector<std::size_t> coordinator{0};
  const std::vector<std::size_t> stores{1, 2};
  const std::vector<std::size_t> executors{3, 4};
  const std::vector<std::size_t> workers{5, 6};  // one goes on where the others have left
  const std::vector<std::size_t> evaluator{8};
  return {{coordinator, "any", false},
          {coordinator, "assigning"},
          {coordinator, "storing", false},
          {stores, "hello", false},
          {stores, "storing"},
          {stores, "sending", false},
          {executors, "hello", false},
          {executors, "storing"},
          {executors, "sending"},
          {executors, "stepping"},
          {workers, "hello", false},
          {workers, "gathering"},
          {workers, "computing"},
          {workers, "storing"},
          {workers, "sending"},
          {evaluator, "hello", false},
          {evaluator, "evaluating", false},
          {coordinator, "finishing", false},
          {stores, "finishing", false},
          {executors, "finishing", false}};
}

}  // namespace

// All but one worker at once, and all processes of any other role.
TEST_CASE("processes of any role, struck at any stage of any outer step, change no parameter", "[gloo][.slow]") {
  Moments moments;
  for (const Moment& moment : all_moments()) {
    for (int k = 0; k < (moment.at_each_step ? repetitions(2) : 1); ++k) {
      const int step = moment.at_each_step ? static_cast<int>(moments.below(6)) : -1;
      disturb(moment.processes, moment.stage, std::to_string(step).c_str());
    }
  }
}

}  // namespace dipaco::testing
