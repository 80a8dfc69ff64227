#include <algorithm>
#include <catch2/catch.hpp>

#include "core/report/accounts/account.hpp"
#include "core/report/summary.hpp"
#include "tests/report/made_up_run.hpp"

using namespace dipaco;

namespace {

double real(const std::map<std::string, Fact>& summary, const char* key) { return std::get<double>(summary.at(key)); }
std::int64_t whole(const std::map<std::string, Fact>& summary, const char* key) {
  return std::get<std::int64_t>(summary.at(key));
}

}  // namespace

TEST_CASE("each worker's seconds are split as worked by hand", "[report]") {
  const auto run = testing::made_up_run();
  const Account account = make_account(run.facts, run.events);
  REQUIRE(account.workers.size() == 2);
  const WorkerTime& fast = account.workers[0];
  CHECK(fast.up.count() == 80);
  CHECK(fast.compute.count() == 10 + 10 + 10 + 2);
  CHECK(fast.lost.count() == 0);
  CHECK(fast.evaluate.count() == 0);  // 81 to 85 s lies behind the end of the run
  // 12 transfers: gather 2 2 2 3, store 3 3 3 3, outer gradients 2 2 2 2
  CHECK(fast.transfer.count() == 29);
  CHECK(fast.wait.count() == 80 - 32 - 29);
  const WorkerTime& slow = account.workers[1];
  CHECK(slow.up.count() == 13 + (66 - 30));
  CHECK(slow.compute.count() == 61 - 45);
  CHECK(slow.lost.count() == 13 - 5);
  CHECK(slow.transfer.count() == 5 + 5 + 3);
  CHECK(slow.wait.count() == 49 - 16 - 8 - 13);
  CHECK(slow.times_lost == 2);
  CHECK(slow.tasks_requeued == 1);
  // 8 s at 2 s an inner step, the pace of its other attempt: 4 steps
  CHECK(slow.inner_steps == 4 + 8);
  CHECK(slow.inner_steps_lost == 4);
}

TEST_CASE("utilisation, goodput and shares are those worked by hand", "[report]") {
  const auto run = testing::made_up_run();
  const auto summary = summarize(run.facts, run.events);
  CHECK(real(summary, "compute_utilization") == Approx((32.0 + 16 + 8) / (80 + 49)));
  CHECK(real(summary, "goodput") ==
        Approx((32.0 + 16) / (80 + 49)));  // a spot machine is provisioned while it is there
  CHECK(real(summary, "useful_inner_step_share") == Approx(40.0 / 44));
  CHECK(whole(summary, "tasks_completed") == 4);
  CHECK(whole(summary, "tasks_requeued") == 1);
  CHECK(whole(summary, "tasks_handed_back") == 1);
  // worker 3 waits 4 s for each of its 4 commits, worker 4 3 s for the part that it hands back
  CHECK(real(summary, "worker_commit_wait_s") == 4 * 4 + 3);
  CHECK(real(summary, "commit_wait_share") == Approx(19.0 / 129));
  CHECK(whole(summary, "inner_steps_lost") == 4);
  CHECK(real(summary, "train_loss") == Approx((30.0 + 24 + 5) / 20));
  CHECK(real(summary, "simulated_s") == 80);
  CHECK(summary.count("elapsed_s") == 0);
  // 4 tasks of worker 3, 2 gathers and 1 store of worker 4, whose bytes alone cross between the sites
  CHECK(whole(summary, "wan_bytes") == 1000 + 1000 + 3000);
  CHECK(whole(summary, "lan_bytes") == 4 * (1000 + 3000 + 1000));
  CHECK(whole(summary, "bytes_module") == 5 * 1000);
  CHECK(whole(summary, "messages_put_path_state") == 5);
  CHECK(summary.count("bytes_hello") == 0);
}

TEST_CASE("a machine that is not spot is provisioned while it is down", "[report]") {
  auto run = testing::made_up_run();
  run.facts.nodes[4].preemptible = false;
  CHECK(real(summarize(run.facts, run.events), "goodput") == Approx(48.0 / (80 + 80)));
}

TEST_CASE("steps that were handed back are lost if the next attempt began anew", "[report]") {
  auto run = testing::made_up_run();
  for (Event& event : run.events) {
    // The second attempt at path 1's second task does all 10 inner steps instead of the 2 that were missing.
    if (event.kind == EventKind::task_computed && event.outer_step == OuterStep{1} && event.attempt == 2)
      event.inner_steps = 10;
  }
  const auto summary = summarize(run.facts, run.events);
  CHECK(whole(summary, "inner_steps_lost") == 4 + 8);
  CHECK(real(summary, "goodput") == Approx(32.0 / 129));
}

TEST_CASE("an attempt that was computed and not committed is lost whole", "[report]") {
  auto run = testing::made_up_run();
  run.events.push_back({.time = Seconds(12.5),
                        .kind = EventKind::task_computed,
                        .attempt = 1,
                        .node = NodeId{4},
                        .path = PathId{1},
                        .outer_step = OuterStep{0},
                        .inner_steps = 3});
  const auto summary = summarize(run.facts, run.events);
  CHECK(whole(summary, "inner_steps_lost") == 3);
  CHECK(real(summary, "worker_lost_s") == Approx(12.5 - 5));
}

TEST_CASE("outer steps overlap nothing here, and name what they waited for", "[report]") {
  const auto run = testing::made_up_run();
  const auto steps = make_account(run.facts, run.events).outer_steps;
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].begin.count() == 0);
  CHECK(steps[0].end.count() == 40);                 // the last module's version 1
  CHECK(steps[0].outer_gradient_norm == Approx(5));  // sqrt(3^2 + 4^2)
  CHECK(steps[0].loss == Approx(4.2));
  CHECK(steps[0].compute.count() == 10 + 8 + 10);
  CHECK(steps[0].last_path == PathId{1});
  CHECK(steps[0].last_worker == NodeId{3});
  CHECK(steps[1].begin.count() == 40);
  CHECK(steps[1].end.count() == 80);
  CHECK(steps[1].outer_gradient_norm == Approx(1));
}

TEST_CASE("an outer step ends only when every path has committed", "[report]") {
  auto run = testing::made_up_run();
  std::erase_if(run.events, [](const Event& event) {
    const bool commit =
        event.kind == EventKind::task_committed && event.outer_step == OuterStep{1} && event.path == PathId{0};
    const bool put = event.kind == EventKind::transfer && event.peer == NodeId{3} && event.begin == Seconds(52);
    return commit || put;  // no store has it
  });
  const auto steps = make_account(run.facts, run.events).outer_steps;
  REQUIRE(steps.size() == 2);
  CHECK(happened(steps[0].end));
  CHECK_FALSE(happened(steps[1].end));
}

TEST_CASE("fitting a router and routing documents are booked with evaluations", "[report]") {
  auto run = testing::made_up_run();
  const auto at = [&run](double time, EventKind kind, int path = -1) {
    run.events.push_back({.time = Seconds(time), .kind = kind, .node = NodeId{3}, .path = PathId{path}, .version = 2});
  };
  at(75, EventKind::evaluation_started, 1);  // a notice might have come: it does not end
  at(75.5, EventKind::evaluation_started, 0);
  at(76, EventKind::evaluation_done, 0);
  at(76.25, EventKind::fitting_started);
  at(77.25, EventKind::fitting_done);
  at(77.25, EventKind::routing_started);
  at(79.25, EventKind::routing_done);
  const Account account = make_account(run.facts, run.events);
  const WorkerTime& fast = account.workers[0];
  CHECK(fast.evaluate.count() == 0.5 + 1 + 2);
  CHECK(fast.wait.count() == 80 - 32 - 29 - 3.5);
}

TEST_CASE("the order in which events were recorded changes nothing", "[report]") {
  const auto run = testing::made_up_run();
  auto shuffled = run.events;
  // Two threads' events: those of workers first, then all others.
  std::stable_partition(shuffled.begin(), shuffled.end(), [](const Event& event) { return index(event.node) >= 3; });
  REQUIRE(time_order(shuffled) != time_order(run.events));
  CHECK(summarize(run.facts, shuffled) == summarize(run.facts, run.events));
}

TEST_CASE("nodes are up all the time where none says that it came", "[report]") {
  auto run = testing::made_up_run();
  std::erase_if(run.events, [](const Event& event) {
    return event.kind == EventKind::node_up || event.kind == EventKind::node_down;
  });
  CHECK(real(summarize(run.facts, run.events), "worker_up_s") == 160);
}

TEST_CASE("a worker that never came is not up where others came", "[report]") {
  auto run = testing::made_up_run();
  run.facts.nodes.push_back({.id = NodeId{5}, .role = Role::worker, .site = SiteId{1}, .host = "w1"});
  CHECK(real(summarize(run.facts, run.events), "worker_up_s") == 129);
  CHECK(real(summarize(run.facts, run.events), "worker_provisioned_s") == 129);
}

TEST_CASE("a run that learns nothing has no loss", "[report]") {
  auto run = testing::made_up_run();
  for (Event& event : run.events) event.value = 0;
  const auto summary = summarize(run.facts, run.events);
  CHECK(summary.count("train_loss") == 0);
}

TEST_CASE("a run without events has no shares", "[report]") {
  RunFacts facts;
  const auto summary = summarize(facts, std::vector<Event>{});
  CHECK(summary.count("compute_utilization") == 0);
  CHECK(summary.count("goodput") == 0);
  CHECK(summary.count("useful_inner_step_share") == 0);
  CHECK(whole(summary, "tasks_completed") == 0);
}

TEST_CASE("an event of an unknown node is a bug that is told", "[report]") {
  auto run = testing::made_up_run();
  run.facts.nodes.pop_back();
  CHECK_THROWS_AS(summarize(run.facts, run.events), std::logic_error);
}
