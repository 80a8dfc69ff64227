// dipaco-run preflight, as a person starts it, and dipaco-sim on the scenario that it writes.

#include <signal.h>

#include <catch2/catch.hpp>
#include <deque>

#include "core/base/file.hpp"
#include "tests/gloo/spawned.hpp"

namespace dipaco::testing {
namespace {

using Words = std::vector<std::string>;

/// Processes of one preflight with a secret, in a folder that goes with the object.
class Preflight {
 public:
  Preflight() : folder_(make_folder()), port_(free_port()) {
    write_file(folder_ / "secret", "a secret of this test\n");
  }
  ~Preflight() {
    processes_.clear();
    std::filesystem::remove_all(folder_);
  }
  Preflight(const Preflight&) = delete;
  Preflight& operator=(const Preflight&) = delete;

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  Spawned& start(const Words& words) { return processes_.emplace_back(words, file(std::to_string(processes_.size()))); }
  Spawned& process(const std::string& role, const std::string& site, const Words& more = {}) {
    Words words{"dipaco-run",    "preflight",    "--role",       role,
                "--site",        site,           "--rendezvous", "tcp://127.0.0.1:" + std::to_string(port_),
                "--secret-file", file("secret"), "--streams",    "2"};
    words.insert(words.end(), more.begin(), more.end());
    return start(words);
  }

 private:
  std::filesystem::path folder_;
  std::uint16_t port_;
  std::deque<Spawned> processes_;
};

std::string run_file() { return std::string(DIPACO_SOURCE_DIR) + "/scenarios/runs/tiny.cfg"; }

}  // namespace

TEST_CASE("three processes measure their network, and a simulation runs on what they found", "[gloo]") {
  Preflight preflight;
  const std::string scenario = preflight.file("measured.xml");
  Spawned& coordinator = preflight.process(
      "coordinator", "east",
      {"--role", "store", "--role", "executor", "--processes", "3", "--scenario-out", scenario, "--run", run_file()});
  Spawned& near = preflight.process("worker", "east", {"--step-time", "20ms"});
  const std::string port = std::to_string(free_port());
  Spawned& far = preflight.process(
      "worker", "west", {"--step-time", "40ms", "--listen-ports", port + "-" + port, "--reached-at", "localhost"});
  for (Spawned* const process : {&coordinator, &near, &far}) {
    CHECK(process->wait(kProcessLimit) == 0);
    INFO(process->log());
    CHECK(process->over());
  }
  CHECK_THAT(coordinator.output(), Catch::Contains("round trip, ms") && Catch::Contains("bandwidth, ") &&
                                       Catch::Contains("east-0") && Catch::Contains("east-1") &&
                                       Catch::Contains("west-0"));
  const auto written = read_file(scenario);
  CHECK_THAT(std::string(reinterpret_cast<const char*>(written.data()), written.size()),
             Catch::Contains(", localhost:" + port + " -->"));
  Spawned& sim =
      preflight.start({"dipaco-sim", scenario, "--learn", "off", "--out", preflight.file("out"), "--progress", "off"});
  CHECK(sim.wait(kProcessLimit) == 0);
  CHECK_THAT(sim.output(), Catch::Contains("2 workers, 2 sites"));
  CHECK_THAT(sim.log(), !Catch::Contains("mfu"));
}

TEST_CASE("a process that dies in a preflight is named by the coordinator, and all end with status 5", "[gloo]") {
  Preflight preflight;
  Spawned& coordinator = preflight.process("coordinator", "east", {"--processes", "4"});
  Spawned& other = preflight.process("worker", "east");
  Spawned& dying = preflight.process("worker", "west");
  const double until = now() + kProcessLimit;
  while (coordinator.log().find("3 of 4 processes") == std::string::npos && now() < until) {
    coordinator.look();
  }
  dying.signal(SIGKILL);
  CHECK(coordinator.wait(kProcessLimit) == 5);
  CHECK_THAT(coordinator.log(), Catch::Contains("a process at west (on ") && Catch::Contains("is lost"));
  CHECK(other.wait(kProcessLimit) == 5);
  CHECK_THAT(other.log(), Catch::Contains("coordinator is lost"));
}

TEST_CASE("a preflight that is not possible as it is asked for says why with status 2", "[gloo]") {
  Preflight preflight;
  const auto refused = [](Spawned& process, const std::string& says) {
    CHECK(process.wait(kProcessLimit) == 2);
    CHECK_THAT(process.log(), Catch::Contains(says));
  };
  refused(preflight.process("coordinator", "east"), "--processes");
  refused(preflight.process("coordinator", "east", {"--processes", "1"}), "--processes");
  refused(preflight.process("worker", "east", {"--step-time", "20"}), "--step-time");
  refused(preflight.process("worker", "east", {"--run", "/nowhere.cfg"}), "/nowhere.cfg");
}

}  // namespace dipaco::testing
