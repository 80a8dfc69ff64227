// Which attempt at a task counted, and what the others cost, where workers and coordinators do not live to say so.

#include <catch2/catch.hpp>
#include <string>

#include "core/report/accounts/account.hpp"
#include "core/report/summary.hpp"

using namespace dipaco;

namespace {

constexpr NodeId kStore{1};
constexpr NodeId kFirst{2};
constexpr NodeId kSecond{3};

/// A task of one path, 10 inner steps of 1 s each, on two workers.
class Script {
 public:
  Script() {
    for (int node = 0; node < 4; ++node) {
      const Role role = node == 0 ? Role::coordinator : node == 1 ? Role::store : Role::worker;
      facts.nodes.push_back({.id = NodeId{node}, .role = role});
      at(0, EventKind::node_up, NodeId{node});
    }
    facts.duration = Seconds(100);
    facts.outer_steps = 2;
    facts.inner_steps = 10;
    facts.paths = 1;
  }
  void at(double time, EventKind kind, NodeId node, int attempt = 0, int inner_steps = 0, int step = 0) {
    Event event{.time = Seconds(time), .kind = kind, .node = node, .inner_steps = inner_steps};
    if (kind != EventKind::node_up && kind != EventKind::node_down) {
      event.attempt = static_cast<std::int16_t>(attempt);
      event.path = PathId{0};
      event.outer_step = OuterStep{step};
    }
    events.push_back(event);
  }
  /// Assigned and started at `begin`; `first` inner steps were done before.
  void starts(double begin, NodeId node, int attempt, int first = 0) {
    at(begin, EventKind::task_assigned, node, attempt, first);
    at(begin, EventKind::task_started, node, attempt);
  }
  /// A store takes it a second after it was sent.
  void puts(double time, NodeId worker) {
    events.push_back({.time = Seconds(time + 1),
                      .kind = EventKind::transfer,
                      .detail = static_cast<std::uint8_t>(MessageKind::put_path_state),
                      .node = kStore,
                      .peer = worker,
                      .begin = Seconds(time)});
  }
  void path_goes_on(double time) { at(time, EventKind::task_queued, NodeId{-1}, 0, 0, 1); }
  Account account() const { return make_account(facts, events); }

  RunFacts facts;
  std::vector<Event> events;
};

}  // namespace

TEST_CASE("a commit counts although its worker was lost before it heard so", "[report]") {
  Script run;
  run.starts(0, kFirst, 1);
  run.at(10, EventKind::task_computed, kFirst, 1, 10);
  run.puts(10, kFirst);
  run.at(10.5, EventKind::node_down, kFirst);
  const auto check = [](const Script& script) {
    const Account account = script.account();
    REQUIRE(account.attempts.size() == 1);
    CHECK(account.attempts[0].end == AttemptEnd::committed);
    CHECK(account.attempts[0].ended == Seconds(11));
    CHECK(account.workers[0].inner_steps_lost == 0);
    CHECK(account.workers[0].commit_wait == Seconds(0.5));  // it was up so long
  };
  check(run);  // the last task: a store has it, and nobody was given it again
  run.path_goes_on(12);
  check(run);
}

TEST_CASE("a state that came to a store and was not kept is no commit once the task went to another", "[report]") {
  Script run;
  run.starts(0, kFirst, 1);
  run.at(10, EventKind::task_computed, kFirst, 1, 10);
  run.puts(10, kFirst);
  run.at(10.5, EventKind::node_down, kFirst);
  run.at(14, EventKind::task_requeued, kFirst, 1);
  run.starts(14, kSecond, 2);
  run.at(24, EventKind::task_computed, kSecond, 2, 10);
  run.puts(24, kSecond);
  run.at(26, EventKind::task_committed, kSecond, 2, 10);
  const Account account = run.account();
  CHECK(account.attempts[0].end == AttemptEnd::requeued);
  CHECK(account.attempts[0].useful_steps == 0);
  CHECK(account.workers[0].inner_steps_lost == 10);
  CHECK(account.workers[1].commit_wait == Seconds(2));
}

TEST_CASE("a task is committed once, by the first attempt that was", "[report]") {
  Script run;
  run.starts(0, kFirst, 1);
  run.at(10, EventKind::task_computed, kFirst, 1, 10);
  run.at(14, EventKind::task_requeued, kFirst, 1);  // in question, and its store was cut off
  run.starts(14, kSecond, 2);
  run.at(16, EventKind::task_committed, kFirst, 1, 10);
  run.at(24, EventKind::task_computed, kSecond, 2, 10);
  run.at(26, EventKind::task_committed, kSecond, 2, 10);
  const Account account = run.account();
  CHECK(account.attempts[0].end == AttemptEnd::committed);
  CHECK(account.attempts[1].end == AttemptEnd::superseded);
  CHECK(account.workers[1].inner_steps_lost == 10);
  CHECK(std::get<std::int64_t>(summarize(run.facts, account).at("tasks_completed")) == 1);
  CHECK(std::get<std::int64_t>(summarize(run.facts, account).at("tasks_requeued")) == 0);
}

TEST_CASE("a frozen worker's seconds are neither inner steps nor pace", "[report]") {
  Script run;
  run.starts(0, kFirst, 1);
  run.at(4, EventKind::node_down, kFirst);
  run.at(24, EventKind::node_up, kFirst);
  run.at(30, EventKind::task_computed, kFirst, 1, 10);
  run.puts(30, kFirst);
  run.at(32, EventKind::task_committed, kFirst, 1, 10);
  run.at(40, EventKind::task_assigned, kFirst, 1, 0, 1);
  run.at(40, EventKind::task_started, kFirst, 1, 0, 1);
  run.at(43.5, EventKind::node_down, kFirst);
  const Account account = run.account();
  CHECK(account.attempts[0].computing == Seconds(10));
  CHECK(account.attempts[1].inner_steps == 3);  // 3.5 s at 1 s a step
  CHECK(account.outer_steps[0].compute == Seconds(10));
  CHECK(account.workers[0].lost == Seconds(3.5));
}

TEST_CASE("the steps that a later attempt went on from are useful, whoever made them, and no others", "[report]") {
  Script run;
  run.starts(0, kFirst, 1);
  run.at(6, EventKind::task_computed, kFirst, 1, 6);
  run.puts(6, kFirst);
  run.at(6.5, EventKind::node_down, kFirst);  // before it could say that it was handed back
  run.at(10, EventKind::task_requeued, kFirst, 1);
  run.starts(10, kSecond, 2);  // its store is away: from the start
  run.at(13, EventKind::task_computed, kSecond, 2, 3);
  run.puts(13, kSecond);
  run.at(15, EventKind::task_handed_back, kSecond, 2, 3);
  run.at(16, EventKind::task_requeued, kSecond, 2);
  run.starts(20, kSecond, 3, 6);  // the store is back
  run.at(24, EventKind::task_computed, kSecond, 3, 4);
  run.at(25, EventKind::task_committed, kSecond, 3, 4);
  const auto attempts = run.account().attempts;
  REQUIRE(attempts.size() == 3);
  CHECK(attempts[0].useful_steps == 6);
  CHECK(attempts[1].useful_steps == 0);
  CHECK(attempts[2].useful_steps == 4);
}

TEST_CASE("what a notice was too short for is lost, requeued, and waits for no store", "[report]") {
  Script run;
  run.starts(0, kFirst, 1);
  run.at(6, EventKind::task_computed, kFirst, 1, 6);
  run.at(6, EventKind::notice_too_short, kFirst, 1, 6);
  run.at(7, EventKind::task_requeued, kFirst, 1);
  run.at(20, EventKind::node_down, kFirst);
  run.starts(8, kSecond, 2);
  run.at(18, EventKind::task_computed, kSecond, 2, 10);
  run.puts(18, kSecond);
  run.at(20, EventKind::task_committed, kSecond, 2, 10);
  const Account account = run.account();
  REQUIRE(account.attempts.size() == 2);
  CHECK(std::string(name(account.attempts[0].end)) == "notice_too_short");
  CHECK(account.attempts[0].ended == Seconds(6));
  CHECK(account.attempts[1].queued == Seconds(7));
  CHECK(account.workers[0].inner_steps_lost == 6);
  CHECK(account.workers[0].lost == Seconds(6));
  CHECK(account.workers[0].commit_wait == Seconds(0));
  CHECK(account.workers[0].tasks_requeued == 1);
  CHECK(account.outer_steps[0].tasks_requeued == 1);
}

TEST_CASE("an attempt of the part before a run was resumed is nobody's", "[report]") {
  Script run;
  run.at(1, EventKind::task_requeued, NodeId{-1}, 3);
  run.starts(2, kFirst, 4);
  run.at(12, EventKind::task_computed, kFirst, 4, 10);
  run.at(13, EventKind::task_committed, kFirst, 4, 10);
  const Account account = run.account();
  REQUIRE(account.attempts.size() == 1);
  CHECK(account.attempts[0].queued == Seconds(1));
  CHECK(account.outer_steps[0].tasks_requeued == 0);
}

TEST_CASE("a task is committed that its path has gone on from, although nobody lived to report what it did",
          "[report]") {
  Script run;
  run.starts(0, kFirst, 1);
  run.at(4, EventKind::task_computed, kFirst, 1, 4);
  run.at(4.5, EventKind::task_handed_back, kFirst, 1, 4);
  run.at(5, EventKind::task_assigned, kSecond, 2, 4);
  run.at(5.25, EventKind::node_down, kSecond);  // everybody was killed, and began anew
  CHECK(run.account().workers[1].tasks_committed == 0);
  run.at(20, EventKind::node_up, kSecond);
  run.at(21, EventKind::task_assigned, kSecond, 1, 0, 1);
  const auto check = [](const Account& account) {
    REQUIRE(account.attempts.size() == 2);
    CHECK(account.attempts[0].end == AttemptEnd::handed_back);
    CHECK(account.attempts[0].useful_steps == 4);
    CHECK(account.attempts[1].end == AttemptEnd::committed);
    CHECK(account.attempts[1].useful_steps == 6);
    CHECK(account.attempts[1].ended == Seconds(5));
    CHECK(account.workers[1].tasks_committed == 1);
    CHECK(account.workers[1].inner_steps_lost == 0);
  };
  Account account = run.account();
  REQUIRE(account.attempts.size() == 3);
  CHECK(account.attempts[2].end == AttemptEnd::open);
  account.attempts.pop_back();
  check(account);
  // Of the last outer step nothing comes after, but the run's end.
  run.events.pop_back();
  run.facts.finished = true;
  check(run.account());
}

TEST_CASE("a task that was started and is committed, says the run's end, has done all its inner steps", "[report]") {
  Script run;
  run.starts(0, kFirst, 1);
  run.at(8, EventKind::node_down, kFirst);  // with a report that was under way
  run.facts.finished = true;
  const Account account = run.account();
  REQUIRE(account.attempts.size() == 1);
  CHECK(account.attempts[0].inner_steps == 10);
  CHECK(account.workers[0].inner_steps_lost == 0);
  CHECK(account.workers[0].compute == Seconds(8));
}

TEST_CASE("a worker that has left for good is paid for as long as it was there, one that failed to the end",
          "[report]") {
  Script run;
  for (const NodeId worker : {kFirst, kSecond}) {
    run.at(10, EventKind::node_down, worker);
    run.at(15, EventKind::node_up, worker);
    run.at(20, EventKind::node_down, worker);
  }
  run.facts.nodes[2].left = true;
  const Account account = run.account();
  CHECK(account.workers[0].up == Seconds(15));
  CHECK(account.workers[0].provisioned == Seconds(20));
  CHECK(account.workers[1].provisioned == Seconds(100));
}

TEST_CASE("a task that says how long it is has no more inner steps, and its path's last one the loss", "[report]") {
  Script run;
  const auto does = [&](double begin, int steps, int step, double loss) {
    run.at(begin, EventKind::task_assigned, kFirst, 1, 0, step);
    run.events.back().value = steps;
    run.at(begin, EventKind::task_started, kFirst, 1, 0, step);
    run.at(begin + steps, EventKind::task_computed, kFirst, 1, steps, step);
    run.events.back().value = steps * loss;
    run.puts(begin + steps, kFirst);
  };
  does(0, 10, 0, 4);
  does(20, 6, 1, 3);  // the last one: its worker was lost before it heard that it was kept
  run.at(26.5, EventKind::node_down, kFirst);
  const Account account = run.account();
  REQUIRE(account.attempts.size() == 2);
  CHECK(account.attempts[1].end == AttemptEnd::committed);
  CHECK(account.attempts[1].useful_steps == 6);
  CHECK(account.lengths_differ);
  CHECK(account.train_loss == Approx(3));
}
