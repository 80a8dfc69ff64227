// What a notice is worth: how many inner steps a worker does under it, and whether a store has them in time.

#include <catch2/catch.hpp>
#include <cmath>

#include "core/base/text.hpp"
#include "core/report/accounts/account.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// When the second worker comes.
constexpr double kOtherComes = 165;

struct NoticeSetup {
  std::string bandwidth;                  ///< of each link
  double notice = 0;                      ///< in s: the first worker's machine has one
  double gone = 0;                        ///< in s: and is gone for good
  int outer_step = 1;                     ///< that the test is about
  std::vector<AvailabilityStep> back{};   ///< when it is there again, if it is
  std::vector<AvailabilityStep> other{};  ///< how the second worker goes, with a notice of 60 s
};

/// h0 coordinates, keeps and adds; h1 and h2 work. One path of one module, which no other path has.
RunPlan plan_of_one_path(MadeUpRun& made) {
  made.config.outer.steps = 2;
  made.config.inner.steps = 20;
  made.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(1000)};
  RunPlan plan = made.plan_of_costs();
  constexpr std::size_t kCharged = 90'000'000;
  plan.charged.levels = {{0, kCharged}};
  plan.charged.size = kCharged;
  return plan;
}

Account account_of(const RunPlan& plan, const NoticeSetup& setup) {
  RunFacts facts{.simulated = true,
                 .outer_steps = plan.config.outer.steps,
                 .inner_steps = plan.config.inner.steps,
                 .paths = plan.topology.paths(),
                 .sites = {"site"}};
  const auto simulated = run_nodes(
      {full_platform(3, "bandwidth=\"" + setup.bandwidth + "\" latency=\"125ms\"")}, 5,
      [&](const PlacedNode& node, Seams seams) {
        if (node.role == Role::coordinator) {
          facts.duration = run_coordinator(plan, seams, {.executors = 1, .stores = 1}).duration;
        } else {
          run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      {.limit = plan.config.liveness.limit,
       .period = plan.config.liveness.period,
       .deadline = plan.config.liveness.deadline},
      {"h0", "h0", "h0", "h1", "h2"},
      [&](Placement& placement) {
        placement.nodes[1].role = Role::executor;
        placement.nodes[2].role = Role::store;
        for (PlacedNode& node : placement.nodes) node.speed = {plan.inner_step_cost.value / 5};
        const auto machine = [](const char* host, std::vector<AvailabilityStep> steps, double notice) {
          return SitePreemption{
              .site = SiteId{0}, .steps = std::move(steps), .notice = Seconds(notice), .hosts = {host}};
        };
        std::vector<AvailabilityStep> first{{Seconds(0), 1}, {Seconds(setup.gone), 0}};
        first.insert(first.end(), setup.back.begin(), setup.back.end());
        std::vector<AvailabilityStep> second{{Seconds(0), 0}, {Seconds(kOtherComes), 1}};
        second.insert(second.end(), setup.other.begin(), setup.other.end());
        placement.preemptions = {machine("h1", std::move(first), setup.notice),
                                 machine("h2", std::move(second), setup.other.empty() ? 0 : 60)};
        for (const PlacedNode& node : placement.nodes) {
          facts.nodes.push_back({.id = node.id, .role = node.role, .host = node.host});
        }
      });
  facts.finished = true;
  return make_account(facts, simulated.events);
}

/// The attempts at one task: whose, and how they ended; then what the first worker had sent in all.
std::string attempts_with(const NoticeSetup& setup) {
  MadeUpRun made("1");
  return in_child([&] {
    const RunPlan plan = plan_of_one_path(made);
    const Account account = account_of(plan, setup);
    const auto time = [](Seconds at) { return happened(at) ? format_fixed(at.count(), 2) : "never"; };
    std::string lines;
    for (const Attempt& attempt : account.attempts) {
      if (number(attempt.outer_step) != setup.outer_step) continue;
      lines += "worker " + std::to_string(index(attempt.worker)) + ", " + time(attempt.started) + " to " +
               time(attempt.computed) + ": " + std::to_string(attempt.inner_steps) + " steps, stored " +
               time(attempt.stored) + ", " + name(attempt.end) + " " + time(attempt.ended) + ", " +
               std::to_string(attempt.useful_steps) + " useful\n";
    }
    return lines + "sent " + std::to_string(account.workers[0].sent.value / 1'000'000) + " MB";
  });
}

}  // namespace

// A state weighs 16 bytes a parameter (parameters, two moments, the outer optimizer's velocity): 1.44 GB. A part of a
// task has the parameters at its start, too: 20 bytes a parameter, 1.8 GB. With d = 1/8 s, B bytes are at the store d +
// B / bandwidth after they were sent, the worker hears so d later. All messages of a few bytes take d.
//
// At 200 Mbit/s a state takes 57.6 s, a part 72 s:
//   task 0: assigned d, inner steps from 0.25 to 100.25, at the store 157.975, acknowledged 158.1
//   task 1: assigned 158.225, inner steps from 158.35. At 200 there is a notice of 60 s; the ninth step is at hand, and
//           ends at 158.35 + 9 x 5 = 203.35. A part measured by the put of task 0 takes (57.6 + 2 d) x 20 / 16 = 72.31
//           s: 275.66 is after 260. So nothing is sent; the coordinator hears so at 203.475, and the task is another's
//           at once
//   again:  assigned 203.475, asks the store at 203.6, which answers at 203.725, has the state 57.6 + d - d later
TEST_CASE("60 s of notice at 200 Mbit/s are too short for a part of 1.8 GB: nothing is handed back, and it is said",
          "[sim]") {
  CHECK(attempts_with({.bandwidth = "200Mbps", .notice = 60, .gone = 260}) ==
        "worker 3, 158.35 to 203.35: 9 steps, stored never, notice_too_short 203.35, 0 useful\n"
        "worker 4, 261.45 to 361.45: 20 steps, stored 419.18, committed 419.18, 20 useful\n"
        "sent 1440 MB");
}

// At 400 Mbit/s a state takes 28.8 s, a part 36 s:
//   task 0: acknowledged 100.25 + 28.8 + 2 d = 129.3; task 1: inner steps from 129.55
//   notice: 60 s at 170. A part takes (28.8 + 2 d) x 20 / 16 = 36.31 s, so the inner steps may last until 193.69: these
//           are (193.69 - 129.55) / 5 = 12.8, so 12 are done, by 189.55. At the store 189.55 + 36 + d = 225.68, before
//           230
TEST_CASE("60 s of notice at 400 Mbit/s are used for as many inner steps as leave the time to hand them back",
          "[sim]") {
  CHECK(attempts_with({.bandwidth = "400Mbps", .notice = 60, .gone = 230}) ==
        "worker 3, 129.55 to 189.55: 12 steps, stored 225.68, handed_back 225.80, 12 useful\n"
        "worker 4, 262.30 to 302.30: 8 steps, stored 331.23, committed 331.23, 8 useful\n"
        "sent 3240 MB");
  // With a notice at 215, all 20 are done by 229.55, and 36.31 s later it is not yet 275.
  CHECK(attempts_with({.bandwidth = "400Mbps", .notice = 60, .gone = 275}) ==
        "worker 3, 129.55 to 229.55: 20 steps, stored 258.48, committed 258.48, 20 useful\n"
        "sent 2880 MB");
}

// The first task: nothing is measured. The inner steps end with the tenth, which is at hand at the notice, at 50.25. A
// part that takes 36 s comes in time, one that takes 72 s is under way when the machine goes at 110.
TEST_CASE("a worker that has put no state yet leaves as early as it can, and tries", "[sim]") {
  CHECK(attempts_with({.bandwidth = "400Mbps", .notice = 60, .gone = 110, .outer_step = 0}) ==
        "worker 3, 0.25 to 50.25: 10 steps, stored 86.38, handed_back 86.50, 10 useful\n"
        "worker 4, 201.50 to 251.50: 10 steps, stored 280.43, committed 280.55, 10 useful\n"
        "sent 1800 MB");
  CHECK(attempts_with({.bandwidth = "200Mbps", .notice = 60, .gone = 110, .outer_step = 0}) ==
        "worker 3, 0.25 to 50.25: 10 steps, stored never, requeued 113.00, 0 useful\n"
        "worker 4, 165.25 to 265.25: 20 steps, stored 322.98, committed 323.10, 20 useful\n"
        "sent 0 MB");
}

// As in the first test: at 203.6 the second worker asks a store for the state, which is there 57.6 + 2 d later, at
// 261.45. At 220 it has a notice. There is no inner step in hand, so the coordinator hears at 220.125 that it does not
// do the task, and waits neither for the state nor for the machine, which goes at 280.
TEST_CASE("a worker that has a notice while it fetches gives its task back at once", "[sim]") {
  const std::string attempts = attempts_with(
      {.bandwidth = "200Mbps", .notice = 60, .gone = 260, .back = {{Seconds(290), 1}}, .other = {{Seconds(280), 0}}});
  CHECK_THAT(attempts, Catch::Contains("worker 4, never to never: 0 steps, stored never, requeued 220."));
}

}  // namespace dipaco::testing
