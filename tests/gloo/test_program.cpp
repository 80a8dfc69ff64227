// dipaco-run --backend gloo, as a person starts it.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <sstream>

#include "core/base/file.hpp"
#include "tests/gloo/spawned.hpp"

namespace dipaco::testing {
namespace {

constexpr double kLimit = 120;

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Processes of one run, in a folder that goes with the object.
class Started {
 public:
  Started() : folder_(make_folder()), port_(free_port()) {}
  ~Started() {
    processes_.clear();
    std::filesystem::remove_all(folder_);
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::string out() const { return (folder_ / "out").string(); }
  std::string address() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  std::string run_file() const { return std::string(DIPACO_SOURCE_DIR) + "/scenarios/runs/tiny.cfg"; }
  Spawned& start(const Words& words) {
    return processes_.emplace_back(words, (folder_ / std::to_string(processes_.size())).string());
  }
  /// A process of the run, at this place and rendezvous unless `more` names others.
  Spawned& node(const std::string& role, const Words& more = {}) {
    Words words{"dipaco-run", "--backend", "gloo", "--run",      run_file(), "--role",
                role,         "--threads", "1",    "--progress", "off"};
    const auto otherwise = [&](const char* option, const std::string& value) {
      if (std::ranges::find(more, option) == more.end()) words = joined(words, {option, value});
    };
    otherwise("--out", out());
    otherwise("--rendezvous", address());
    return start(joined(words, more));
  }
  std::deque<Spawned>& all() { return processes_; }

 private:
  std::filesystem::path folder_;
  std::uint16_t port_;
  std::deque<Spawned> processes_;
};

std::string hash_in(const std::filesystem::path& summary) {
  const std::string text = read_text(summary);
  const std::string key = "\"parameters_hash\": \"";
  const auto at = text.find(key);
  return at == std::string::npos ? "none" : text.substr(at + key.size(), 32);
}

/// The line about the first task that was given out.
std::string first_task(const std::filesystem::path& events) {
  std::istringstream lines(read_text(events));
  std::string line;
  while (std::getline(lines, line) && line.find("task_assigned") == std::string::npos) {
  }
  return line;
}

/// The process ends with this status, and says so.
void check_refused(Spawned& process, int status, const std::vector<std::string>& says) {
  CHECK(process.wait(kLimit) == status);
  for (const std::string& part : says) CHECK_THAT(process.log(), Catch::Contains(part));
}

}  // namespace

TEST_CASE("ten processes, one process and a simulation end with the same parameters", "[gloo][learn]") {
  Started run;
  const Words expect{"--expect", "executors=2,stores=2", "--events", "on"};
  run.node("coordinator", expect);
  for (const char* const role : {"store", "store", "executor", "executor"}) run.node(role);
  for (int k = 0; k < 5; ++k) run.node("worker");
  for (Spawned& process : run.all()) {
    CHECK(process.wait(kLimit) == 0);
    INFO(process.log());
    CHECK(process.over());
  }
  const std::string hash = hash_in(run.out() + "/summary.json");
  CHECK(hash.size() == 32);
  CHECK_THAT(first_task(run.out() + "/events.csv"), Catch::StartsWith("0,task_assigned"));
  CHECK(std::filesystem::is_empty(run.out() + "/nodes"));
  Started others;
  Spawned& loopback = others.start(
      {"dipaco-run", "--backend", "loopback", "--run", run.run_file(), "--out", others.out(), "--progress", "off"});
  CHECK(loopback.wait(kLimit) == 0);
  CHECK(hash_in(others.out() + "/summary.json") == hash);
  const std::string simulated = others.out() + "-sim";
  Spawned& sim = others.start({"dipaco-sim", std::string(DIPACO_SOURCE_DIR) + "/scenarios/diloco_2dc.xml", "--run",
                               run.run_file(), "--out", simulated, "--progress", "off"});
  CHECK(sim.wait(kLimit) == 0);
  CHECK(hash_in(simulated + "/summary.json") == hash);
}

TEST_CASE("a run that is not possible as it is asked for says why with status 2", "[gloo]") {
  Started run;
  check_refused(run.start({"dipaco-run", "--backend", "gloo", "--run", run.run_file()}), 2, {"no role", "--role"});
  check_refused(run.node("worker", {"--rendezvous", "udp://x"}), 2, {"udp://x"});
  check_refused(run.node("worker", {"--rendezvous", "redis://127.0.0.1:" + std::to_string(free_port())}), 2,
                {"redis://127.0.0.1"});
  check_refused(run.node("auto"), 2, {"--role auto"});
  check_refused(run.node("worker", {"--expect", "executors=0"}), 2, {"executors=0"});
  check_refused(run.node("worker", {"--interface", "none7"}), 2, {"none7", "lo"});
  check_refused(run.node("worker", {"--secret-file", "/nowhere"}), 2, {"/nowhere"});
}

TEST_CASE("a node with another secret ends with 6, one with another configuration with 2 and both values",
          "[gloo][learn]") {
  Started run;
  const auto secret = [&](const std::string& name, const std::string& text) {
    write_file(run.folder() / name, text);
    return Words{"--secret-file", (run.folder() / name).string()};
  };
  const Words ours = secret("ours", "a secret of this run\n");
  Spawned& coordinator = run.node("coordinator", ours);
  check_refused(run.node("worker", secret("theirs", "a secret of theirs\n")), 6, {"did not let this node in"});
  check_refused(run.node("worker"), 6, {"secret"});
  check_refused(run.node("worker", joined(ours, {"--set", "outer.steps=9"})), 2, {"configuration has the hash"});
  check_refused(run.node("coordinator", joined(ours, {"--out", run.out() + "-other"})), 2, {"listen"});
  coordinator.signal(SIGTERM);
  CHECK(coordinator.wait(kLimit) == 143);
  CHECK_THAT(coordinator.log(), Catch::Contains("the same command goes on"));
}

}  // namespace dipaco::testing
