#include <catch2/catch.hpp>

#include "tests/coordinator/begun_run.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kOther{5};

/// A run with backup tasks, in which one worker is at the first path's first task since second 0; another one has
/// needed ten seconds for the other path's, and left.
struct WatchedRun {
  explicit WatchedRun(int replicas = 1, bool backups = true) : world(with(made, replicas, backups)) {
    world.join(NodeId{10});
    const GivenTask its = *world.known.run.given.find(NodeId{10});  // the other path
    world.known.clock.time = Seconds(10);
    world.tasks.ended(NodeId{10}, {.id = its.id,
                                   .epoch = its.epoch,
                                   .inner_steps = static_cast<std::int32_t>(made.config.inner.steps),
                                   .committed = true,
                                   .leaving = true});
    take();
  }

  /// @returns the tasks that are given at this time
  std::vector<std::pair<NodeId, Task>> look(double time) {
    world.known.clock.time = Seconds(time);
    world.tasks.look_after_late();
    world.tasks.assign();
    return take();
  }
  std::vector<std::pair<NodeId, Task>> take() { return world.known.transport.take<Task>(); }
  /// The first path's task is given to a second worker.
  void back_up() {
    world.join(kOther);
    const Seconds limit = world.known.plan.config.liveness.limit;
    look(12.5);
    const auto given = look(12.5 + limit.count());
    REQUIRE(given.size() == 1);
    CHECK(given[0].first == kOther);
    CHECK(given[0].second.epoch == 2);
    CHECK_FALSE(given[0].second.again);
    REQUIRE(path().backup);
  }
  const PathEntry& path() const { return world.first(); }
  void done(NodeId worker, Epoch epoch, bool committed) {
    world.tasks.ended(worker, {.id = {kFirst, OuterStep{0}}, .epoch = epoch, .committed = committed});
  }

  void lose(NodeId worker) {
    world.known.run.members.remove(worker);
    world.tasks.worker_lost(worker);
  }
  static MadeUpRun& with(MadeUpRun& made, int replicas, bool backups) {
    made.config.run.replicas = replicas;
    made.config.run.backup_tasks = backups;
    return made;
  }

  MadeUpRun made{"shared:2"};
  BegunRun world;
};

}  // namespace

TEST_CASE("a task that is late at a silent worker is given to a free one, too", "[coordinator]") {
  WatchedRun run;
  run.world.join(kOther);
  CHECK(run.take().empty());
  CHECK(run.look(12).empty());
  CHECK_FALSE(run.world.known.run.inquiries.find(kWorker));
  CHECK(run.look(12.5).empty());  // it is asked
  REQUIRE(run.world.known.run.inquiries.find(kWorker));
  CHECK(run.look(12.6).empty());
  const auto given = run.look(12.5 + run.world.known.plan.config.liveness.limit.count());
  REQUIRE(given.size() == 1);
  CHECK(given[0].first == kOther);
  CHECK(given[0].second.id == TaskId{kFirst, OuterStep{0}});
  CHECK(run.look(1000).empty());  // it has one
}

TEST_CASE("a task whose worker waits for bytes gets no backup", "[coordinator]") {
  WatchedRun run;
  run.world.join(kOther);
  run.look(12.5);
  run.world.known.run.inquiries.answered(kWorker, {.received = 1}, Seconds(12.5));
  const double limit = run.world.known.plan.config.liveness.limit.count();
  CHECK(run.look(12.5 + limit).empty());
  CHECK_FALSE(run.path().backup);
  const double twice = 2 * (12.5 + limit);
  CHECK(run.look(twice - 0.1).empty());
  CHECK_FALSE(run.world.known.run.inquiries.find(kWorker)->open);
  CHECK(run.look(twice).empty());  // asked again, and silent: by now it computes
  CHECK(run.world.known.run.inquiries.find(kWorker)->open);
  CHECK(run.look(twice + limit).size() == 1);
}

TEST_CASE("a worker in reserve that gets a backup is in reserve no more", "[coordinator]") {
  WatchedRun run;
  run.world.join(kOther);
  auto& in_reserve = run.world.known.run.in_reserve;
  in_reserve[kOther] = {.worker = kOther};
  run.look(12.5);
  CHECK(in_reserve.contains(kOther));
  run.look(12.5 + run.world.known.plan.config.liveness.limit.count());
  CHECK(run.path().backup);
  CHECK_FALSE(in_reserve.contains(kOther));
}

TEST_CASE("a backup begins once a worker is free that needs less than the task has taken", "[coordinator]") {
  WatchedRun run;
  const double limit = run.world.known.plan.config.liveness.limit.count();
  run.look(12.5);
  CHECK(run.look(12.5 + limit).empty());  // nobody is free
  run.world.known.run.task_times.add(kOther, Seconds(50));
  run.world.join(kOther);
  CHECK(run.take().empty());
  CHECK(run.look(49).empty());
  CHECK(run.look(50).size() == 1);
}

TEST_CASE("without run.backup_tasks nobody is asked and nothing given twice", "[coordinator]") {
  WatchedRun run(1, false);
  run.world.join(kOther);
  CHECK(run.look(50).empty());
  CHECK_FALSE(run.world.known.run.inquiries.find(kWorker));
  CHECK_FALSE(run.path().backup);
}

TEST_CASE("the attempt whose state is at its stores first counts, and the other's worker is told to stop",
          "[coordinator]") {
  WatchedRun run;
  run.back_up();
  const bool backup_wins = GENERATE(true, false);
  run.world.arrives(kNear, backup_wins ? 2 : 1, backup_wins ? kOther : kWorker);
  CHECK(run.path().version == 1);
  CHECK(run.path().state_epoch == (backup_wins ? 2 : 1));
  CHECK(run.path().attempt.worker == (backup_wins ? kOther : kWorker));
  CHECK_FALSE(run.path().backup);
  const auto told = run.take();
  REQUIRE(told.size() == 1);
  CHECK(told[0].first == (backup_wins ? kWorker : kOther));
  CHECK(told[0].second.again);
  CHECK(told[0].second.to_stores.empty());
}

TEST_CASE("with replicas, a task is committed once one attempt is at all its stores", "[coordinator]") {
  WatchedRun run(2);
  run.back_up();
  run.world.arrives(kNear, 2, kOther);
  CHECK(run.path().version == 0);
  run.world.arrives(kFar, 1);  // of two attempts, but at all stores of each
  CHECK(run.path().version == 1);
}

TEST_CASE("a backup takes the place of an attempt that ends without a commit, and stores are asked nothing",
          "[coordinator]") {
  WatchedRun run;
  run.back_up();
  SECTION("its worker is lost") { run.lose(kWorker); }
  SECTION("its worker ends it") { run.done(kWorker, 1, false); }
  CHECK(run.world.known.transport.take<QueryPath>().empty());
  CHECK(run.path().phase == PathEntry::Phase::running);
  CHECK(run.path().attempt.worker == kOther);
  CHECK(run.path().attempt.epoch == 2);
  CHECK_FALSE(run.path().backup);
}

TEST_CASE("a backup that ends without a commit is forgotten, and its epoch is not used again", "[coordinator]") {
  WatchedRun run;
  run.back_up();
  SECTION("its worker is lost") { run.lose(kOther); }
  SECTION("its worker ends it") { run.done(kOther, 2, false); }
  CHECK_FALSE(run.path().backup);
  CHECK(run.path().attempt.worker == kWorker);
  run.done(kWorker, 1, false);
  CHECK(run.path().phase == PathEntry::Phase::in_question);
  const auto asked = run.world.known.transport.take<QueryPath>();
  REQUIRE_FALSE(asked.empty());
  CHECK(asked[0].second.epoch == 3);
}

TEST_CASE("both attempts are told where their stores are now", "[coordinator]") {
  WatchedRun run;
  run.back_up();
  run.world.known.run.members.remove(kNear);
  run.world.tasks.store_lost(kNear);
  const auto told = run.take();
  REQUIRE(told.size() >= 2);
  CHECK(run.path().attempt.to_stores == std::vector{kFar});
  CHECK(run.path().backup->to_stores == std::vector{kFar});
}

TEST_CASE("a task is called late once it takes longer than tasks usually do, and only then", "[coordinator]") {
  WatchedRun run(1, false);
  RunProgress told;
  run.world.known.run.options.tell_waiting = true;
  run.world.known.run.options.progress = [&](const RunProgress& progress) { told = progress; };
  const auto at = [&](double time) {
    run.world.known.clock.time = Seconds(time);
    run.world.diagnosis.tell_progress();
    return told.late;
  };
  // The other path's task took 10 s: 12.5 s are late.
  CHECK(at(12).empty());
  CHECK_FALSE(told.waiting_for.empty());
  const std::vector<std::string> late = at(13);
  REQUIRE(late.size() == 1);
  CHECK(late[0] == told.waiting_for[0]);
  CHECK_THAT(late[0], Catch::Contains("waits for worker 4"));
}

}  // namespace dipaco::testing
