#include <catch2/catch.hpp>

#include "core/coordinator/job_giving.hpp"
#include "core/coordinator/model_collection.hpp"
#include "core/coordinator/tasks.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr PathId kFirst{0};
constexpr NodeId kNear{2};
constexpr NodeId kFar{3};
constexpr NodeId kWorker{4};

/// Tasks of a run that has begun, with an executor, two stores and a worker.
struct BegunRun {
  explicit BegunRun(MadeUpRun& made) : known(made) {
    known.own_all(1);
    known.add(index(kNear), Role::store);
    known.add(index(kFar), Role::store);
    known.run.awaited.start();
    tasks.start();
    join(kWorker);
  }
  /// A worker comes and is given the first task that waits.
  void join(NodeId worker) {
    known.add(index(worker), Role::worker);
    known.run.queue.dispatch().worker_up(worker, SiteId{0}, 1);
    tasks.assign();
  }
  const PathEntry& first() const { return known.run.queue.path(kFirst); }
  /// The store has what the attempt has made of the first path's first task.
  void arrives(NodeId store, Epoch epoch) {
    tasks.state_at(store, {.path = kFirst, .version = 1, .epoch = epoch, .worker = kWorker, .loss_sum = 1});
  }

  KnownRun known;
  OuterGradientDoubts doubts{known.run};
  Evaluations evaluations{known.run};
  ModelCollection model{known.run, evaluations};
  JobGiving jobs{known.run};
  StateRefusals refusals{known.run, jobs};
  Diagnosis diagnosis{known.run, evaluations, model, refusals};
  Tasks tasks{known.run, {doubts, evaluations, refusals, diagnosis}};
};

}  // namespace

TEST_CASE("a task is committed once the state of its running attempt is at each of its stores", "[coordinator]") {
  MadeUpRun made("2x2");
  made.config.run.replicas = 2;
  BegunRun world(made);
  REQUIRE(world.first().phase == PathEntry::Phase::running);
  REQUIRE(world.first().to_stores.size() == 2);
  world.arrives(kNear, 1);
  CHECK(world.first().version == 0);
  world.arrives(kFar, 1);
  CHECK(world.first().version == 1);
}

TEST_CASE("a lost attempt whose state comes to light while another runs counts once a module has gone on with it",
          "[coordinator]") {
  MadeUpRun made("2x2");
  made.config.run.replicas = 2;
  BegunRun world(made);
  // Nobody who answers has a state of the attempt: its task is given to another worker.
  world.known.run.members.remove(kWorker);
  world.tasks.worker_lost(kWorker);
  world.tasks.answer(kNear, {kFirst, 0, 2});
  world.tasks.answer(kFar, {kFirst, 0, 2});
  REQUIRE(world.first().phase == PathEntry::Phase::queued);
  world.join(NodeId{5});
  REQUIRE(world.first().epoch == 2);
  world.known.transport.take<Task>();
  world.arrives(kFar, 1);
  CHECK(world.first().version == 0);  // the running attempt may be done first
  const ModuleId module = world.known.plan.topology.module(kFirst, 0);
  world.known.run.queue.module_ready(module, Version{1}, {{kFirst, 1}}, Seconds(0));
  world.tasks.module_ready(module);
  CHECK(world.first().version == 1);
  CHECK(world.first().state_epoch == 1);
  const auto told = world.known.transport.take<Task>();  // the running attempt is void
  REQUIRE(told.size() == 1);
  CHECK(told[0].first == NodeId{5});
  CHECK(told[0].second.again);
  CHECK(told[0].second.to_stores.empty());
}

}  // namespace dipaco::testing
