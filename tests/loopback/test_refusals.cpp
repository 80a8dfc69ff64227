#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/queue/task_queue.hpp"
#include "core/state/finite.hpp"
#include "core/state/path_values.hpp"
#include "core/state/refusals.hpp"
#include "tests/roles/scripted_node.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr SiteId kHere{0};
constexpr Seconds kNever{0};
constexpr float kBad[] = {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::signaling_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()};

PathStateBody of_path_0(const RunPlan& plan) {
  PathStateBody state = start_state(plan, PathId{0});
  state.version = 1;
  return state;
}

}  // namespace

TEST_CASE("one value that is not finite is found wherever it is, and no finite one is taken for it", "[loopback]") {
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<float> values(size, 1.0F);
    CHECK(all_finite(values));
    for (std::size_t k = 0; k < size; ++k) {
      for (const float bad : kBad) {
        values[k] = bad;
        CHECK_FALSE(all_finite(values));
      }
      values[k] = 1.0F;
    }
  }
  using Limits = std::numeric_limits<float>;
  CHECK(all_finite(std::vector<float>{0.0F, -0.0F, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(),
                                      -Limits::denorm_min()}));
}

TEST_CASE("a store refuses a state of which any part is not finite, and tells its worker and the coordinator",
          "[loopback]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = made.plan();
  using Part = Values PathStateBody::*;
  for (const Part part : {&PathStateBody::parameters, &PathStateBody::first_moment, &PathStateBody::second_moment,
                          &PathStateBody::velocity, &PathStateBody::specific_before}) {
    PathStateBody state = of_path_0(plan);
    state.inner_steps = part == &PathStateBody::specific_before ? 2 : 0;
    state.specific_before = state.velocity;
    auto values = *(state.*part).data;
    values.back() = kBad[0];
    state.*part = make_values(std::move(values), (state.*part).charged);
    ScriptedNode store({Envelope{NodeId{7}, {}, make_message(PutPathState{3, NodeId{7}, state})}});
    store.run(plan, Role::store);
    const auto answers = store.sent<Stored>();
    REQUIRE(answers.size() == 1);
    CHECK_FALSE(answers[0].accepted);
    const auto told = store.sent<StateRefused>();
    REQUIRE(told.size() == 1);
    CHECK(told[0].task == TaskId{PathId{0}, OuterStep{state.inner_steps > 0 ? 1 : 0}});
    CHECK(told[0].epoch == 3);
    CHECK(told[0].worker == NodeId{7});
    CHECK(store.sent<Committed>().empty());
  }
}

TEST_CASE("a store of a run that learns nothing looks at the loss alone", "[loopback]") {
  MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  PathStateBody state = of_path_0(plan);
  CHECK(all_finite(state));
  state.loss_sum = std::nan("");
  CHECK_FALSE(all_finite(state));
}

TEST_CASE("a task whose state was refused goes to another worker while there is one", "[loopback]") {
  const Topology topology = make_topology({.levels = "flat:1"}, {.blocks = 1}, ".");
  TaskQueue queue(topology, 4);
  queue.dispatch().worker_up(NodeId{10}, kHere, 9.0);
  queue.dispatch().worker_up(NodeId{11}, kHere, 1.0);
  queue.start(kNever);
  const PathId path{0};
  const auto spoilt_by = [&](NodeId worker, bool free) {
    CHECK(queue.path(path).note_refused(queue.path(path).attempt.epoch, worker));
    CHECK_FALSE(queue.path(path).note_refused(queue.path(path).attempt.epoch, worker));  // the other store's word
    if (free) queue.dispatch().worker_free(worker);
    queue.path(path).question(kNever);
    queue.requeue(path, kNever);
  };
  REQUIRE(queue.assign(kNever)->worker == NodeId{10});
  spoilt_by(NodeId{10}, true);
  CHECK_FALSE(queue.dispatch().all_among(queue.path(path).spoiled_by));
  REQUIRE(queue.assign(kNever)->worker == NodeId{11});
  spoilt_by(NodeId{11}, false);
  CHECK(queue.dispatch().all_among(queue.path(path).spoiled_by));
  // All have: whoever is free may try again.
  REQUIRE(queue.assign(kNever)->worker == NodeId{10});
  spoilt_by(NodeId{10}, true);
  CHECK(queue.path(path).refused.size() == 3);
  queue.dispatch().worker_up(NodeId{12}, kHere, 0.5);
  CHECK_FALSE(queue.dispatch().all_among(queue.path(path).spoiled_by));
  REQUIRE(queue.assign(kNever)->worker == NodeId{12});
  queue.committed(path, 1, kHere, kNever);
  CHECK(queue.path(path).refused.empty());
  CHECK(queue.path(path).spoiled_by.empty());
}

TEST_CASE("a task that only its spoiler is free for waits for another, unless that one goes", "[loopback]") {
  const Topology topology = make_topology({.levels = "flat:2"}, {.blocks = 1}, ".");
  TaskQueue queue(topology, 4);
  queue.dispatch().worker_up(NodeId{10}, kHere, 9.0);
  queue.dispatch().worker_up(NodeId{11}, kHere, 1.0);
  queue.start(kNever);
  REQUIRE(queue.assign(kNever)->worker == NodeId{10});
  REQUIRE(queue.assign(kNever)->worker == NodeId{11});
  queue.path(PathId{0}).note_refused(1, NodeId{10});
  queue.dispatch().worker_free(NodeId{10});
  queue.path(PathId{0}).question(kNever);
  queue.requeue(PathId{0}, kNever);
  CHECK_FALSE(queue.assign(kNever).has_value());
  queue.dispatch().worker_gone(NodeId{11});
  CHECK(queue.assign(kNever)->worker == NodeId{10});
}

TEST_CASE("a worker is set aside after three refusals in a row, until it begins anew", "[loopback]") {
  Refusals refusals;
  const NodeId worker{4};
  CHECK_FALSE(refusals.end(worker));
  CHECK(refusals.add(worker, 0) == 1);
  CHECK(refusals.add(worker, 0) == 2);
  CHECK(refusals.end(worker));
  CHECK(refusals.add(worker, 0) == 1);
  CHECK(refusals.add(worker, 0) == 2);
  CHECK_FALSE(refusals.set_aside(worker, 0));
  CHECK(refusals.add(worker, 0) == kRefusalsInARow);
  CHECK(refusals.set_aside(worker, 0));
  CHECK_FALSE(refusals.end(worker));  // what it had in hand counts, and it stays aside
  CHECK(refusals.set_aside(worker, 0));
  CHECK_FALSE(refusals.set_aside(worker, 1));
  CHECK(refusals.add(worker, 1) == 1);
}

}  // namespace dipaco::testing
