// Processes that join a run while it goes on, many at once, or that are struck while they join.

#include <signal.h>

#include <catch2/catch.hpp>
#include <deque>
#include <set>
#include <string>

#include "tests/gloo/processes.hpp"

namespace dipaco::testing {
namespace {

constexpr Seconds kJoiningLimit{90};

/// As coordinator, and all others, note it: each process once, though it may be missed and heard again.
std::set<std::string> take_part(const std::string& role, const std::string& log) {
  std::set<std::string> processes;
  for (std::size_t at = log.find(role + " on "); at != std::string::npos; at = log.find(role + " on ", at + 1)) {
    const std::string line = log.substr(at, log.find('\n', at) - at);
    if (line.ends_with("takes part")) processes.insert(line);
  }
  return processes;
}

}  // namespace

TEST_CASE("eight workers that start at once during a run take part in it, and change no parameter", "[gloo]") {
  const std::string hash = loopback_hash(ToyRun());
  Moments moments;
  for (int k = 0; k < repetitions(1); ++k) {
    ToyProcesses processes({{{"coordinator"}, {"store"}, {"executor"}, {"worker"}}, "1,1,0"});
    double begin = 0;
    bool all_there = false;
    const std::string answer = run(processes, kJoiningLimit, [&] {
      if (all_there) return;
      if (begin == 0 && !take_part("worker", processes.log_of(0)).empty()) begin = now() + moments.below(1);
      if (begin == 0 || now() < begin) return;
      for (int worker = 0; worker < 8; ++worker) processes.add({"worker"});
      all_there = true;
    });
    INFO("repetition " << k << "\n" << processes.logs());
    CHECK(answer == hash);
    CHECK(take_part("worker", processes.log_of(0)).size() == 9);
    CHECK(processes.signals().empty());
  }
}

namespace {

/// A process of this role is struck in the middle of each of its first messages, in a run for each; another is there.
void strike_joining(const std::string& role, int signal, int messages) {
  static const std::string kHash = loopback_hash(ToyRun());
  std::deque<ToyProcesses> runs;
  for (int message = 1; message <= messages; ++message) {
    ToySetting setting{.processes = {{"coordinator"}, {"store"}, {"executor"}, {"worker"}}, .expect = "1,1,0"};
    const std::string number = std::to_string(message);
    setting.processes.push_back({role, {"fault_in_send=" + std::to_string(signal) + "," + number}});
    if (role == "store") setting.expect = "1,2,0";
    if (role == "executor") setting.expect = "2,1,0";
    runs.emplace_back(std::move(setting));
  }
  const auto answers = run_all(runs, kJoiningLimit);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    INFO(role << ", message " << k + 1 << ", signal " << signal << "\n" << runs[k].logs());
    CHECK(answers[k] == kHash);
    CHECK(runs[k].signals() == std::vector{signal});
  }
}

}  // namespace

// Its offer, its proof, what it is, its hello, and what comes next.
TEST_CASE("a worker that is killed or stopped in the middle of joining changes no parameter", "[gloo]") {
  strike_joining("worker", SIGKILL, 5);
  strike_joining("worker", SIGSTOP, 5);
}

TEST_CASE("any process that is killed or stopped in one of its first messages changes no parameter", "[gloo][.slow]") {
  for (const char* const role : {"store", "executor", "worker", "evaluator"}) {
    for (const int signal : {SIGKILL, SIGSTOP}) strike_joining(role, signal, 8);
  }
}

TEST_CASE("workers that are killed at any moment from their start change no parameter", "[gloo]") {
  const std::string hash = loopback_hash(ToyRun());
  Moments moments;
  for (int k = 0; k < repetitions(1); ++k) {
    ToyProcesses processes({{{"coordinator"}, {"store"}, {"executor"}, {"worker"}}, "1,1,0"});
    double next = 0;
    const std::string answer = run(processes, kJoiningLimit, [&] {
      if (processes.size() == 12 || now() < next) return;
      if (next > 0) processes.signal(processes.size() - 1, SIGKILL);  // the last one; it is started again
      processes.add({"worker"});
      next = now() + moments.below(0.06);
    });
    INFO("repetition " << k << "\n" << processes.logs());
    CHECK(answer == hash);
    CHECK(!processes.signals().empty());
  }
}

}  // namespace dipaco::testing
