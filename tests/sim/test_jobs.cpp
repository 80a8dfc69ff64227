// Jobs of nodes that cannot end them: training waits for re-sharding, so each is given to another.

#include <catch2/catch.hpp>
#include <map>

#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// h0 coordinates and keeps, h1 adds, the others work and evaluate; between all of them 1 MB/s and 10 ms.
struct JobSetup {
  int workers = 3;
  int evaluators = 0;
  int leaving = 0;  ///< so many of the last nodes have a notice from 0.3 s to 200.3 s
  int stuck = 0;    ///< so many of the last nodes do jobs `slowness` times as slowly as they should
  double slowness = 1e9;
};

/// A job is one step: tasks have more.
class SlowInJobs : public Compute {
 public:
  SlowInJobs(Compute& compute, double slowness) : compute_(compute), slowness_(slowness) {}
  Seconds now() const override { return compute_.now(); }
  InnerSteps run(InnerSteps steps, Flops cost_of_one, const Work& work, std::optional<Seconds> reserve) override {
    return compute_.run(steps, steps.value == 1 ? slowness_ * cost_of_one : cost_of_one, work, reserve);
  }
  bool leaving() const override { return compute_.leaving(); }
  std::optional<Seconds> gone_at() const override { return compute_.gone_at(); }

 private:
  Compute& compute_;
  double slowness_;
};

constexpr int kOthers = 3;  // coordinator, executor, store

struct JobOutcome {
  RunResult result;
  std::vector<Event> events;
};

JobOutcome simulate_jobs(const RunPlan& plan, const JobSetup& setup) {
  JobOutcome outcome;
  const int nodes = kOthers + setup.workers + setup.evaluators;
  const auto place_roles = [&](Placement& placement) {
    placement.nodes[1].role = Role::executor;
    placement.nodes[2].role = Role::store;
    placement.nodes[2].host = std::string("h0");
    for (int n = kOthers + setup.workers; n < nodes; ++n) {
      placement.nodes[static_cast<std::size_t>(n)].role = Role::evaluator;
    }
    SitePreemption site{
        .site = SiteId{0}, .steps = {{Seconds(0), setup.leaving}, {Seconds(200.3), 0}}, .notice = Seconds(200)};
    for (int n = nodes - setup.leaving; n < nodes; ++n) {
      site.hosts.push_back(placement.nodes[static_cast<std::size_t>(n)].host);
    }
    if (setup.leaving > 0) placement.preemptions.push_back(std::move(site));
  };
  const auto simulated = run_nodes(
      {full_platform(nodes, kLink)}, nodes,
      [&](const PlacedNode& node, Seams seams) {
        SlowInJobs slow(seams.compute, setup.slowness);
        if (node.role == Role::coordinator) {
          outcome.result = run_coordinator(plan, seams, {.executors = 1, .stores = 1, .evaluators = setup.evaluators});
        } else {
          const bool stuck = index(node.id) >= nodes - setup.stuck;
          Compute& compute = stuck ? slow : seams.compute;
          run_role(plan, {seams.transport, compute, seams.storage, seams.log, seams.archive},
                   {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      {}, {}, place_roles);
  outcome.events = simulated.events;
  return outcome;
}

/// The run's hash, and "; soon" where it took less than `limit`.
std::string story(const RunPlan& plan, const JobSetup& setup, Seconds limit) {
  return in_child([&] {
    const JobOutcome outcome = simulate_jobs(plan, setup);
    const bool soon = outcome.result.duration < limit;
    return outcome.result.parameters_hash + (soon ? "; soon" : "; " + format_number(outcome.result.duration.count()));
  });
}

/// A lease lasts little more than six limits, 18 s.
RunPlan plan_with_short_leases(MadeUpRun& made) {
  made.config.routing.reshard_at = std::string("2");
  made.config.data.holdout_fraction = 0;
  made.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(600)};
  return made.plan();
}

}  // namespace

TEST_CASE("re-sharding does not wait for workers and evaluators that have a notice", "[sim]") {
  MadeUpRun made("2x2");
  made.config.routing.reshard_at = std::string("2");
  made.config.data.holdout_fraction = 0;
  made.config.evaluate.every = 1;
  const RunPlan plan = made.plan();
  // An undisturbed run takes less than a second; the notices last 200.
  const std::string hash = story(plan, {}, Seconds(2));
  CHECK_THAT(hash, Catch::EndsWith("; soon"));
  CHECK(story(plan, {.leaving = 2}, Seconds(2)) == hash);
  CHECK(story(plan, {.evaluators = 1, .leaving = 1}, Seconds(2)) == hash);
}

TEST_CASE("each job of a re-sharding is among the events, with the time that it takes", "[sim]") {
  MadeUpRun made("2x2");
  made.config.routing.reshard_at = std::string("2");
  made.config.data.holdout_fraction = 0;
  const RunPlan plan = made.plan();
  const std::string told = in_child([&] {
    std::map<std::string, Seconds> begun;
    std::string jobs;
    for (const Event& event : simulate_jobs(plan, {.workers = 1}).events) {
      if (begins_job(event.kind)) begun[name(event.kind)] = event.time;
      if (!ends_job(event.kind) || event.version != 2) continue;
      jobs += std::string(name(event.kind)) + (event.time > begun.rbegin()->second ? "; " : " at once; ");
      begun.clear();
    }
    return jobs;
  });
  CHECK(told == "evaluation_done; evaluation_done; evaluation_done; evaluation_done; fitting_done; routing_done; ");
}

TEST_CASE("re-sharding does not wait for workers and evaluators that are stuck in a job", "[sim]") {
  MadeUpRun made("2x2");
  const RunPlan plan = plan_with_short_leases(made);
  const std::string hash = story(plan, {}, Seconds(2));
  const std::string later = hash.substr(0, 32) + "; soon";
  CHECK(story(plan, {.stuck = 1}, Seconds(60)) == later);
  CHECK(story(plan, {.evaluators = 1, .stuck = 1}, Seconds(60)) == later);
}

TEST_CASE("who answers behind the end of the lease is given jobs again", "[sim]") {
  MadeUpRun made("2x2");
  const RunPlan plan = plan_with_short_leases(made);
  const std::string hash = story(plan, {}, Seconds(2)).substr(0, 32);
  // Its first job alone takes longer than a lease of six limits, 18 s.
  const std::string told = story(plan, {.workers = 1, .stuck = 1, .slowness = 4e4}, Seconds(18));
  CHECK_THAT(told, Catch::StartsWith(hash) && !Catch::EndsWith("soon"));
}

}  // namespace dipaco::testing
