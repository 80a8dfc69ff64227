#include <catch2/catch.hpp>
#include <set>

#include "backends/loopback/run.hpp"
#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// h0 coordinates and keeps, h1 adds, the others work; between all of them 1 MB/s and 10 ms.
struct Setup {
  int workers = 4;
  int threads = 2;
  std::vector<AvailabilityStep> steps;  ///< of the workers' machines; empty: always there
  Seconds notice{0};
};

struct Outcome {
  RunResult result;
  Simulated simulated;
};

Outcome simulate_run(const RunPlan& plan, const Setup& setup) {
  Outcome outcome;
  const CoordinatorOptions members{.executors = 1, .stores = 1};
  const auto place_roles = [&](Placement& placement) {
    placement.nodes[1].role = Role::executor;
    placement.nodes[2].role = Role::store;
    placement.nodes[2].host = "h0";
    if (setup.steps.empty()) return;
    SitePreemption site{.site = SiteId{0}, .steps = setup.steps, .notice = setup.notice};
    for (std::size_t n = 3; n < placement.nodes.size(); ++n) site.hosts.push_back(placement.nodes[n].host);
    placement.preemptions.push_back(std::move(site));
  };
  outcome.simulated = run_nodes(
      {full_platform(setup.workers + 3, kLink)}, setup.workers + 3,
      [&](const PlacedNode& node, Seams seams) {
        if (node.id == kCoordinator) {
          outcome.result = run_coordinator(plan, seams, members);
        } else {
          run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      {.threads = setup.threads}, {}, place_roles);
  return outcome;
}

int count(const Outcome& outcome, EventKind kind) {
  int n = 0;
  for (const Event& event : outcome.simulated.events) n += event.kind == kind ? 1 : 0;
  return n;
}

/// Everything that the reports are made from.
std::string story(const Outcome& outcome) {
  std::string text = outcome.result.parameters_hash;
  for (const Event& event : outcome.simulated.events) {
    text += std::string(name(event.kind)) + " " + format_number(event.time.count()) + " " +
            std::to_string(index(event.node)) + " " + std::to_string(index(event.path)) + " " +
            std::to_string(number(event.outer_step)) + " " + std::to_string(event.version) + " " +
            std::to_string(event.inner_steps) + " " + format_number(event.value) + "\n";
  }
  return text;
}

std::string hash_of(const MadeUpRun& run, const Setup& setup) {
  return in_child([&] { return simulate_run(run.plan(), setup).result.parameters_hash; });
}

}  // namespace

TEST_CASE("the simulator ends with the parameters of the loopback backend, with 3, P and 2P workers", "[sim]") {
  const MadeUpRun run("2x4", "blocks:0");
  const std::string hash = in_child([&] { return run_loopback(run.plan(), {.workers = 2}).result.parameters_hash; });
  REQUIRE(hash.size() == 32);
  CHECK(hash_of(run, {.workers = 3}) == hash);
  CHECK(hash_of(run, {.workers = 8}) == hash);
  CHECK(hash_of(run, {.workers = 16}) == hash);
}

TEST_CASE("two runs are equal event by event, whatever the number of threads", "[sim]") {
  const MadeUpRun run("2x2");
  const auto tell = [&](int threads) {
    return in_child([&] { return story(simulate_run(run.plan(), {.threads = threads})); });
  };
  const std::string first = tell(1);
  CHECK(first.size() > 1000);
  CHECK(tell(2) == first);
  CHECK(tell(1) == first);
}

TEST_CASE("preempted workers change when, but not what is learned, with and without notice", "[sim]") {
  const MadeUpRun run("2x2");
  // Nothing but the simulated time of a task says when a machine is worth taking.
  const std::string calm = in_child([&] {
    const Outcome outcome = simulate_run(run.plan(), {});
    return outcome.result.parameters_hash + " " + format_number(outcome.result.duration.count());
  });
  const std::string hash = calm.substr(0, 32);
  const double duration = *parse_number(calm.substr(33));
  for (const double notice : {0.0, 0.01, 0.1}) {
    std::vector<AvailabilityStep> steps;
    for (int k = 0; k < 12; ++k) steps.push_back({Seconds(k * duration / 9), k % 2 == 0 ? 4 : 1});
    const std::string told = in_child([&] {
      const Outcome outcome = simulate_run(run.plan(), {.steps = steps, .notice = Seconds(notice * duration)});
      return outcome.result.parameters_hash + " lost " + (count(outcome, EventKind::node_down) >= 3 ? "some" : "none") +
             " notices " + (count(outcome, EventKind::notice) >= 3 ? "some" : "none");
    });
    CHECK(told == hash + " lost some notices " + (notice > 0 ? "some" : "none"));
  }
}

TEST_CASE("a simulation that is given up says what is under way, how much of it has come, and over which link",
          "[sim]") {
  const std::string ending = in_child([] {
    run_nodes({full_platform(2, kLink)}, 2, [](const PlacedNode& node, Seams seams) {
      if (node.id != kCoordinator) seams.transport.send(kCoordinator, sized_message(1'000'000));
      seams.transport.receive(Seconds(node.id == kCoordinator ? 0.51 : 100));
      if (node.id == kCoordinator) throw RunError(4, "given up");
    });
    return std::string("it went on");
  });
  CHECK_THAT(ending, Catch::StartsWith("threw: given up; under way are "));
  CHECK_THAT(ending,
             Catch::Contains(" from h1 to h0, 500 kB of 1.00 MB, over link ") && Catch::Contains(" of 1.00 MB/s"));
}

}  // namespace dipaco::testing
