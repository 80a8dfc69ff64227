// dipaco-run --backend gloo, as a person starts it.

#include <signal.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <thread>

#include "backends/gloo/links/asio.hpp"
#include "backends/gloo/meeting/local_address.hpp"
#include "core/base/file.hpp"
#include "tests/gloo/started.hpp"

namespace dipaco::testing {
namespace {

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
  CHECK(process.wait(kProcessLimit) == status);
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
    CHECK(process.wait(kProcessLimit) == 0);
    INFO(process.log());
    CHECK(process.over());
  }
  const std::string hash = hash_in(run.out() + "/summary.json");
  CHECK(hash.size() == 32);
  CHECK_THAT(first_task(run.out() + "/events.csv"), Catch::StartsWith("0,task_assigned"));
  CHECK(std::filesystem::is_empty(run.out() + "/nodes"));
  CHECK(loopback_hash() == hash);
  Started others;
  const std::string simulated = others.out() + "-sim";
  Spawned& sim = others.start({"dipaco-sim", std::string(DIPACO_SOURCE_DIR) + "/scenarios/diloco_2dc.xml", "--run",
                               run.run_file(), "--out", simulated, "--progress", "off"});
  CHECK(sim.wait(kProcessLimit) == 0);
  CHECK(hash_in(simulated + "/summary.json") == hash);
}

TEST_CASE("a worker of two threads and one of one share ranks, and end with the parameters of one process",
          "[gloo][learn]") {
  Started run;
  const Words ranks{"--set", "inner.ranks=2", "--set", "outer.steps=3"};
  run.node("worker", joined(ranks, {"--threads", "2"}));
  run.node("worker", ranks);
  run.node("coordinator", joined(ranks, {"--role", "store", "--role", "executor"}));
  for (Spawned& process : run.all()) CHECK(process.wait(kProcessLimit) == 0);
  const std::string hash = hash_in(run.out() + "/summary.json");
  CHECK(hash == loopback_hash(ranks));
  CHECK(hash != loopback_hash({"--set", "outer.steps=3"}));
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

TEST_CASE("without a secret or --insecure a process that others could connect to ends with status 2", "[gloo]") {
  Started run;
  const auto at = [&](const std::string& host) {
    return Words{"--rendezvous", "tcp://" + host + ":" + std::to_string(run.port())};
  };
  std::vector<Words> open{at("0.0.0.0"), at("[::]"), at("0"), at("[::ffff:0.0.0.0]"),
                          joined(at("0.0.0.0"), {"--interface", "lo"})};
  for (const LocalAddress& own : local_addresses()) {
    const bool v6 = own.kind == LocalAddress::Kind::ipv6;
    if (is_loopback(own.address) || own.kind == LocalAddress::Kind::ipv6_link_local) continue;
    open.push_back(at(v6 ? "[" + own.address + "]" : own.address));
    open.push_back({"--interface", own.interface});
    open.push_back({"--interface", own.interface, "--rendezvous", "file://" + run.folder().string()});
  }
  for (const char* const role : {"coordinator", "worker"}) {
    for (const Words& words : open) {
      INFO(role << " " << words.front() << " " << words[1]);
      check_refused(run.node(role, words), 2,
                    {"without a secret", "--secret-file", "--insecure", "tcp://127.0.0.1:PORT"});
    }
  }
  check_refused(run.node("coordinator", at("*")), 2, {"\"*\" is no host"});
  check_refused(run.node("coordinator", at("::")), 2, {"in brackets"});
}

TEST_CASE("a coordinator at any loopback address runs without a secret, at all addresses with --insecure", "[gloo]") {
  Started run;
  const auto at = [](const std::string& host) { return "tcp://" + host + ":" + std::to_string(free_port()); };
  const std::vector<Words> allowed{{"--rendezvous", at("127.0.0.9")},
                                   {"--rendezvous", at("[::1]")},
                                   {"--rendezvous", at("localhost")},
                                   {"--rendezvous", "file://" + run.folder().string()},
                                   {"--rendezvous", at("127.0.0.1"), "--interface", "lo"},
                                   {"--rendezvous", at("0.0.0.0"), "--insecure"},
                                   {"--rendezvous", at("[::]"), "--insecure"}};
  for (const Words& words : allowed) {
    INFO(words[1]);
    const std::string out = run.out() + std::to_string(run.all().size());
    Spawned& coordinator =
        run.node("coordinator", joined(words, {"--out", out, "--learn", "off", "--step-time", "1ms"}));
    const double until = now() + kProcessLimit;
    const std::filesystem::path registry = std::filesystem::path(out) / "nodes" / "coordinator-0" / "registry";
    while (coordinator.look() != Spawned::Change::over && !std::filesystem::exists(registry) && now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    INFO(coordinator.log());
    CHECK_FALSE(coordinator.over());
    coordinator.signal(SIGTERM);
    CHECK(coordinator.wait(kProcessLimit) == 143);
  }
}

TEST_CASE("a node listens in the range of ports that it is given, and says which one is full with status 2", "[gloo]") {
  Started run;
  for (const char* const wrong : {"0-9", "9-1", "1-65536", "all", "1-2-3"}) {
    check_refused(run.node("worker", {"--listen-ports", wrong}), 2, {"--listen-ports", "such as 29500-29599"});
  }
  asio::io_context io;
  const tcp::acceptor taken(io, {asio::ip::make_address("127.0.0.1"), 0});
  const std::string port = std::to_string(taken.local_endpoint().port());
  check_refused(run.node("worker", {"--listen-ports", port}), 2,
                {"all ports of " + port + "-" + port, "--listen-ports"});
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
  CHECK(coordinator.wait(kProcessLimit) == 143);
  CHECK_THAT(coordinator.log(), Catch::Contains("the same command goes on"));
}

}  // namespace dipaco::testing
