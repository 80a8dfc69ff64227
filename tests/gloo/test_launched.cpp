// dipaco-run --backend gloo, as launchers start it: the environment that they give, and a notice to all at once.

#include <signal.h>

#include <catch2/catch.hpp>

#include "backends/gloo/meeting/rendezvous.hpp"
#include "tests/gloo/meeting/redis_server.hpp"
#include "tests/gloo/started.hpp"

namespace dipaco::testing {
namespace {

/// All processes end by themselves, the run with the parameters of one in one process.
void check_ends(Started& run, const Words& more = {}) {
  for (Spawned& process : run.all()) {
    const int status = process.wait(kProcessLimit);
    INFO(process.log());
    CHECK(status == 0);
  }
  CHECK(hash_in(run.out() + "/summary.json") == loopback_hash(more));
}

}  // namespace

TEST_CASE("processes that meet at a Redis server end with the parameters of one process, and leave nothing there",
          "[gloo][learn]") {
  const RedisServer server;
  Started run;
  const Words there{"--rendezvous", server.url() + "/1"};
  run.node("worker", there);
  run.node("worker", there);
  run.node("coordinator", joined(there, {"--role", "store", "--role", "executor"}));
  check_ends(run);
  CHECK_FALSE(make_rendezvous(server.url() + "/1", {.run_name = "tiny"})->find());
}

TEST_CASE("an indexed Kubernetes job ends with the parameters of one process", "[gloo][learn]") {
  Started run;
  const Words service{"--rendezvous", run.address()};
  for (int k = 3; k >= 0; --k) {
    run.node("auto", joined(service, {"--site", "cluster-a", "--expect", "executors=2"}),
             {{"JOB_COMPLETION_INDEX", std::to_string(k)},
              {"HOSTNAME", "dipaco-" + std::to_string(k)},
              {"KUBERNETES_SERVICE_HOST", "10.96.0.1"},
              {"DIPACO_PROCESSES", "4"}});
  }
  check_ends(run);
  CHECK_THAT(run.all().back().log(), Catch::Contains("Kubernetes (JOB_COMPLETION_INDEX=0, DIPACO_PROCESSES=4)"));
}

TEST_CASE("processes that torchrun starts end with the parameters of one process", "[gloo][learn]") {
  Started run;
  for (int k = 0; k < 3; ++k) {
    run.node("auto", {},
             {{"RANK", std::to_string(k)},
              {"LOCAL_RANK", std::to_string(k)},
              {"WORLD_SIZE", "3"},
              {"LOCAL_WORLD_SIZE", "3"},
              {"MASTER_ADDR", "localhost"},
              {"MASTER_PORT", std::to_string(run.port())},
              {"OMP_NUM_THREADS", "1"}});
  }
  check_ends(run);
  CHECK_THAT(run.all().front().log(), Catch::Contains("rendezvous tcp://localhost:" + std::to_string(run.port())));
}

TEST_CASE("all processes of a run may get their notice at once: each ends, and the same commands go on",
          "[gloo][learn]") {
  Started run;
  // A coordinator that begins anew waits for lost nodes for as long as the limit says.
  const Words longer{"--set", "outer.steps=30", "--set", "liveness.limit=3s", "--set", "liveness.period=1s"};
  const auto start = [&] {
    run.all().clear();
    run.node("coordinator", joined(longer, {"--role", "store", "--role", "executor"}));
    run.node("worker", longer);
    run.node("worker", longer);
  };
  start();
  const auto works = [&] { return run.all().back().log().find("(executor") != std::string::npos; };
  for (const double until = now() + kProcessLimit; !works() && now() < until;) run.all().back().wait(0.05);
  REQUIRE(works());
  run.all().back().wait(0.5);
  for (const Spawned& process : run.all()) process.signal(SIGTERM);
  CHECK(run.all()[0].wait(kProcessLimit) == 143);
  CHECK(run.all()[1].wait(kProcessLimit) == 0);
  CHECK(run.all()[2].wait(kProcessLimit) == 0);
  CHECK(hash_in(run.out() + "/summary.json") == "none");
  start();
  check_ends(run, longer);
}

}  // namespace dipaco::testing
