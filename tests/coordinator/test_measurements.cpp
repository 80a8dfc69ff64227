#include <catch2/catch.hpp>

#include "core/base/random.hpp"
#include "core/coordinator/known/measurements.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kSlowed{4};

/// Workers that say nothing of their speed, with run.straggler_factor = 1.5.
struct MeasuredRun {
  MeasuredRun() {
    for (const int node : {4, 5, 6, 7}) add(node, 0);
  }
  void add(int node, double speed, const std::string& arithmetic = "CPU") {
    known.run.members.add(
        NodeId{node},
        {.role = Role::worker, .machine = "m" + std::to_string(node), .speed = speed, .arithmetic = arithmetic});
  }
  void measure(NodeId worker, double step) {
    measurements.ended(worker, {.id = {PathId{0}, OuterStep{0}}, .epoch = 1, .inner_steps = 2, .computing = 2 * step},
                       nullptr);
  }
  int count(EventKind kind) const {
    return static_cast<int>([&] {
      const auto all = known.log.events();
      return std::ranges::count(all, kind, &Event::kind);
    }());
  }

  MadeUpRun made{"2x2"};
  KnownRun known{made};
  Measurements measurements{known.run};
};

}  // namespace

TEST_CASE("a worker that becomes slower is named with its first slow task, and until it is as fast as before",
          "[coordinator]") {
  MeasuredRun run;
  for (const double step : {2.0, 2.2, 1.9}) run.measure(kSlowed, step);
  CHECK(slow_workers(run.known.run).empty());
  run.measure(kSlowed, 6);
  REQUIRE(slow_workers(run.known.run).size() == 1);
  CHECK_THAT(slow_workers(run.known.run)[0],
             Catch::Contains("worker 4 on m4 is slow: 6.00 s an inner step, 3.0 times"));
  CHECK_THAT(slow_workers(run.known.run)[0], Catch::Contains("before"));
  for (int k = 0; k < 10; ++k) run.measure(kSlowed, 6);  // by now its median is that
  CHECK(slow_workers(run.known.run).size() == 1);
  CHECK(run.count(EventKind::worker_slow) == 1);
  run.measure(kSlowed, 2.9);
  CHECK(slow_workers(run.known.run).empty());
  CHECK(run.count(EventKind::worker_recovered) == 1);
}

TEST_CASE("a worker whose short tasks scatter is not named again and again", "[coordinator]") {
  MeasuredRun run;
  for (const int other : {5, 6, 7}) run.measure(NodeId{other}, 0.010);
  // 10 ms, now and then half as much again, as the machine's other programs have it.
  for (std::uint64_t task = 0; task < 400; ++task) {
    const double draw = draw_uniform(7, Draw::jitter, 4, task);
    run.measure(kSlowed, draw < 0.15 ? 0.016 + 0.004 * draw : 0.010 + 0.001 * draw);
  }
  CHECK(run.count(EventKind::worker_slow) <= 3);
  // One that becomes slow is named all the same, and once.
  const int before = run.count(EventKind::worker_slow);
  for (int task = 0; task < 100; ++task) run.measure(kSlowed, 0.030 + 0.004 * (task % 3));
  CHECK(slow_workers(run.known.run).size() == 1);
  CHECK(run.count(EventKind::worker_slow) - before <= 1);
}

TEST_CASE("a worker is named by what is clearly more than its tasks scatter", "[coordinator]") {
  MeasuredRun run;
  for (const double step : {10.0, 13.0, 9.0, 14.0, 8.0, 12.0, 11.0}) run.measure(kSlowed, step);
  run.measure(kSlowed, 17);  // 1.5 times as long as usual, and such as may come
  CHECK(slow_workers(run.known.run).empty());
  run.measure(kSlowed, 40);
  CHECK(slow_workers(run.known.run).size() == 1);
}

TEST_CASE("each time that a worker has recovered, twice as many tasks in a row are needed to name it",
          "[coordinator]") {
  Stragglers stragglers;
  const auto tell = [&](double step) {
    return stragglers.measured(
        kSlowed, {.step = Seconds(step), .usual = Seconds(1), .at_worst = Seconds(1), .at = Seconds(0)}, 1.5);
  };
  using News = Stragglers::News;
  CHECK(tell(2) == News::slow);
  CHECK(tell(2) == News::none);
  CHECK(tell(1) == News::recovered);
  CHECK(tell(2) == News::none);
  CHECK(tell(2) == News::slow);
  CHECK(tell(1) == News::none);  // it may be chance as well
  CHECK(tell(2) == News::none);
  CHECK(tell(1) == News::none);
  CHECK(tell(1) == News::recovered);
  for (int task = 0; task < 3; ++task) CHECK(tell(2) == News::none);
  CHECK(tell(1) == News::none);
  for (int task = 0; task < 3; ++task) CHECK(tell(2) == News::none);
  CHECK(tell(2) == News::slow);
  stragglers.lost(kSlowed);  // who comes back is another machine
  CHECK(stragglers.all().empty());
  CHECK(tell(2) == News::slow);
}

TEST_CASE("of a worker that says no speed counts what a preflight was told, until it has measured its own",
          "[coordinator]") {
  MeasuredRun run;
  run.known.run.options.step_times = {{"m4", Seconds(5)}};
  const double cost = run.known.run.plan.inner_step_cost.value;
  const auto hello = [](const std::string& machine, double speed) { return Hello{.machine = machine, .speed = speed}; };
  CHECK(known_speed(run.known.run, kSlowed, hello("m4", 0)) == Approx(cost / 5));
  CHECK(known_speed(run.known.run, kSlowed, hello("m4", 7)) == 7);
  CHECK(known_speed(run.known.run, NodeId{5}, hello("m5", 0)) == 0);
  run.measure(kSlowed, 2);
  CHECK(known_speed(run.known.run, kSlowed, hello("m4", 0)) == Approx(cost / 2));
}

TEST_CASE("a worker that was slow from the start is named by what others like it need", "[coordinator]") {
  MeasuredRun run;
  run.measure(NodeId{5}, 2);
  run.measure(kSlowed, 6);
  CHECK(slow_workers(run.known.run).empty());  // one other says too little
  run.measure(NodeId{6}, 2);
  run.measure(kSlowed, 6);
  REQUIRE(slow_workers(run.known.run).size() == 1);
  CHECK_THAT(slow_workers(run.known.run)[0], Catch::Contains("3.0 times as long as others like it need"));
}

TEST_CASE("workers that compute in another way are not like it", "[coordinator]") {
  MeasuredRun run;
  run.add(5, 0, "GPU");
  run.add(6, 0, "GPU");
  run.measure(NodeId{5}, 2);
  run.measure(NodeId{6}, 2);
  run.measure(kSlowed, 6);
  CHECK(slow_workers(run.known.run).empty());
}

TEST_CASE("a worker that says how fast it is, is compared with that", "[coordinator]") {
  MeasuredRun run;
  run.add(4, run.known.plan.inner_step_cost.value / 2);
  for (const int other : {5, 6, 7}) run.measure(NodeId{other}, 1);
  run.measure(kSlowed, 2);
  CHECK(slow_workers(run.known.run).empty());
  run.measure(kSlowed, 3);
  CHECK(slow_workers(run.known.run).size() == 1);
  run.measurements.lost(kSlowed);
  CHECK(slow_workers(run.known.run).empty());
}

TEST_CASE("what a byte takes between sites is the median of what nodes have measured of late", "[coordinator]") {
  MeasuredRun run;
  run.add(8, 0);
  const SiteId east{0};
  const SiteId west{1};
  run.known.run.members.add(NodeId{8}, {.role = Role::executor, .site = west, .machine = "m8"});
  const auto way = [&] { return run.known.run.ways.seconds_a_byte(east, west); };
  CHECK_FALSE(way());
  note_ways(run.known.run, NodeId{8}, {{NodeId{4}, 2e-6}, {NodeId{99}, 7e-6}});  // of one that is not there: nothing
  CHECK(way() == 2e-6);
  for (const double measured : {9e-6, 3e-6}) note_ways(run.known.run, NodeId{8}, {{NodeId{5}, measured}});
  CHECK(way() == 3e-6);
  for (int k = 0; k < 9; ++k) note_ways(run.known.run, NodeId{8}, {{NodeId{5}, 5e-6}});
  CHECK(way() == 5e-6);
  CHECK_FALSE(run.known.run.ways.seconds_a_byte(west, east));
  note_ways(run.known.run, NodeId{4}, {{NodeId{5}, 1e-9}});  // at one site
  CHECK_FALSE(run.known.run.ways.seconds_a_byte(east, east));
  run.measurements.ended(NodeId{4}, {.id = {PathId{0}, OuterStep{0}}, .ways = {{NodeId{8}, 4e-6}}}, nullptr);
  CHECK(run.known.run.ways.seconds_a_byte(west, east) == 4e-6);
}

TEST_CASE("a coordinator that begins anew knows how fast ways and workers are, but those that begin anew, too",
          "[coordinator]") {
  MeasuredRun run;
  run.add(8, 0);
  const SiteId west{1};
  run.known.run.members.add(NodeId{8}, {.role = Role::executor, .site = west, .machine = "m8"});
  note_ways(run.known.run, NodeId{8}, {{NodeId{4}, 2e-6}});
  run.measure(NodeId{5}, 3);
  run.measure(NodeId{6}, 3);
  run.known.run.ledger.flush();

  auto& [plan, transport, clock, storage, log, archive, before] = run.known;
  RunState again(plan, {transport, clock, storage, log, archive}, {.executors = 1, .stores = 2});
  CHECK(again.ways.seconds_a_byte(SiteId{0}, west) == 2e-6);
  Measurements measurements(again);
  again.members.add(NodeId{5}, {.role = Role::worker, .incarnation = 0});
  again.members.add(NodeId{6}, {.role = Role::worker, .incarnation = 1});
  again.members.add(NodeId{7}, {.role = Role::worker});
  for (const int node : {5, 6, 7}) measurements.up(NodeId{node});
  REQUIRE(again.step_times.of(NodeId{5}));
  CHECK(again.step_times.of(NodeId{5})->median == Seconds(3));
  CHECK_FALSE(again.step_times.of(NodeId{6}));
  CHECK_FALSE(again.step_times.of(NodeId{7}));
}

TEST_CASE("a journal hears once of what is usual, and again when that changes", "[coordinator]") {
  MeasuredRun run;
  const auto size = [&] {
    run.known.run.ledger.flush();
    return run.known.storage.get("journal")->size();
  };
  const auto begun = size();
  run.measure(kSlowed, 2);
  const auto noted = size();
  CHECK(noted > begun);
  run.measure(kSlowed, 2.05);
  CHECK(size() == noted);
  run.measure(kSlowed, 9);  // once: its median is as before
  CHECK(size() == noted);
  for (int k = 0; k < 9; ++k) run.measure(kSlowed, 2.5);
  CHECK(size() > noted);
}

TEST_CASE("what tasks take besides computing is told by those of the usual length", "[coordinator]") {
  MadeUpRun made("2x2");
  made.config.outer.policy = "asynchronous";
  made.config.evaluate.every = 0;
  made.config.inner.steps = 10;
  made.config.inner.dylu = true;
  KnownRun known(made);
  Measurements measurements(known.run);
  const NodeId worker{4};
  known.add(4, Role::worker);
  known.run.queue.dispatch().worker_up(worker, SiteId{0}, 0);
  const auto ended = [&](std::int32_t steps, double step_takes, double besides) {
    const Seconds began = known.clock.time;
    const GivenTask given{.id = {PathId{0}, OuterStep{0}}, .epoch = 1, .since = began, .length = steps};
    known.clock.time = began + Seconds(steps * step_takes + besides);
    measurements.ended(
        worker, {.id = given.id, .epoch = 1, .inner_steps = steps, .computing = steps * step_takes, .committed = true},
        &given);
    return known.run.queue.dispatch().reserve().fleet().workers().at(worker).besides;
  };
  for (int task = 0; task < 3; ++task) CHECK(ended(10, 1, 2) == Seconds(2));
  CHECK(ended(3, 1, 2) == Seconds(2));  // a path's last task, not one of 12 s of which 9 are no computing
  CHECK(ended(10, 1, 2) == Seconds(2));
}

TEST_CASE("a state's way from another site is no part of what tasks take besides, whenever the commit comes",
          "[coordinator]") {
  MadeUpRun made("2x2");
  made.config.inner.steps = 10;
  KnownRun known(made);
  Measurements measurements(known.run);
  const NodeId worker{4};
  known.add(4, Role::worker);
  known.add(2, Role::store);
  known.add(3, Role::store, SiteId{1});
  known.run.queue.dispatch().worker_up(worker, SiteId{0}, 0);
  const auto ended = [&](int store, double besides) {
    const Seconds began = known.clock.time;
    // The path's own entry is that of its next task: the store said first that it has the state.
    const GivenTask given{
        .id = {PathId{0}, OuterStep{0}}, .epoch = 1, .since = began, .length = 10, .from_store = NodeId{store}};
    known.clock.time = began + Seconds(10 + besides);
    measurements.ended(worker, {.id = given.id, .epoch = 1, .inner_steps = 10, .computing = 10, .committed = true},
                       &given);
    return known.run.queue.dispatch().reserve().fleet().workers().at(worker).besides;
  };
  CHECK(ended(3, 50) == Seconds(0));
  CHECK(ended(2, 3) == Seconds(3));
}

}  // namespace dipaco::testing
