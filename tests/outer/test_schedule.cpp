#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/outer/schedule.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

constexpr SiteId kEast{0};
constexpr SiteId kWest{1};
const StateMoves kFree;  ///< moves cost nothing

WorkerTimes takes(double task, double free_at = 0, SiteId site = kEast) {
  return {Seconds(task), Seconds(free_at), site};
}

OpenTasks::BySite at_home(std::int64_t tasks) { return {{kEast, tasks}}; }

OpenTasks coming_late(std::int64_t queued, std::int64_t coming, double at) {
  return {.queued = at_home(queued), .coming = at_home(coming), .coming_at = Seconds(at)};
}

/// What one task gives, or all: it leaves once all are done.
Delivery comes_within(double seconds) { return {Seconds(seconds), Seconds(seconds)}; }

/// The least T with sum(floor((T - from) / task)) >= tasks, by trying each end of a task.
double least_by_trial(const std::vector<WorkerTimes>& workers, std::int64_t tasks, double from) {
  double least = std::numeric_limits<double>::infinity();
  for (const WorkerTimes& one : workers) {
    for (std::int64_t k = 1; k <= tasks; ++k) {
      const double end = std::max(one.free_at.count(), from) + static_cast<double>(k) * one.task.count();
      double done = 0;
      for (const WorkerTimes& other : workers) {
        const double begin = std::max(other.free_at.count(), from);
        done += std::max(0.0, std::floor((end - begin) / other.task.count() + 1e-9));
      }
      if (done >= static_cast<double>(tasks)) least = std::min(least, end);
    }
  }
  return least;
}

}  // namespace

TEST_CASE("with first_free nobody waits", "[outer]") {
  const std::vector<WorkerTimes> workers{takes(1), takes(100)};
  CHECK_FALSE(FirstFree().lets_wait());
  CHECK(std::isinf(FirstFree().all_done_at(workers, {.queued = at_home(1)}, kFree).count()));
}

TEST_CASE("with earliest_finish an outer step ends as soon as these workers can end it", "[outer]") {
  const EarliestFinish schedule;
  // wan_4dc's ten machines, and eight tasks: three each for the two at 26 s, one each for the two at 74 s.
  std::vector<WorkerTimes> workers{takes(26), takes(26), takes(74), takes(74)};
  for (int k = 0; k < 4; ++k) workers.push_back(takes(276));
  for (int k = 0; k < 2; ++k) workers.push_back(takes(341));
  CHECK(schedule.all_done_at(workers, {.queued = at_home(8)}, kFree) == Seconds(78));
  // With the fastest two away for two minutes, the next two take two tasks each.
  workers[0].free_at = workers[1].free_at = Seconds(120);
  CHECK(schedule.all_done_at(workers, {.queued = at_home(8)}, kFree) == Seconds(172));
}

TEST_CASE("what cannot begin yet is done by workers that are free then, too", "[outer]") {
  const EarliestFinish schedule;
  const std::vector<WorkerTimes> workers{takes(10), takes(40)};
  CHECK(schedule.all_done_at(workers, {.queued = at_home(2)}, kFree) == Seconds(20));
  // The slow one may do a task that can begin now, although the others come later only.
  CHECK(schedule.all_done_at(workers, coming_late(1, 1, 30), kFree) == Seconds(40));
  CHECK(schedule.all_done_at(workers, coming_late(1, 3, 30), kFree) == Seconds(60));
}

TEST_CASE("no tasks are done at once, and without workers nobody knows when", "[outer]") {
  const EarliestFinish schedule;
  const std::vector<WorkerTimes> one{takes(10)};
  CHECK(schedule.all_done_at(one, {}, kFree) < Seconds(0));
  CHECK(std::isinf(schedule.all_done_at({}, {.queued = at_home(1)}, kFree).count()));
}

TEST_CASE("a task is given where what comes after it is done first, too", "[outer]") {
  const EarliestFinish schedule;
  const std::vector<WorkerTimes> workers{takes(10), takes(10, 0, kWest)};
  OpenTasks anywhere{.queued = {{kNowhere, 2}}};
  // Both in the east: 20 s and 1 s more. One in the west would be done after 10 s, and what it gives there after 25.
  anywhere.delivery = [](SiteId site, std::int64_t /*tasks*/) { return comes_within(site == kEast ? 1 : 15); };
  CHECK(schedule.all_done_at(workers, anywhere, kFree) == Seconds(21));
  anywhere.delivery = [](SiteId site, std::int64_t /*tasks*/) { return comes_within(site == kEast ? 1 : 8); };
  CHECK(schedule.all_done_at(workers, anywhere, kFree) == Seconds(18));
  // The more tasks in the west, the longer: it does one of four, and so not two.
  anywhere.queued = {{kNowhere, 4}};
  anywhere.delivery = [](SiteId site, std::int64_t tasks) {
    return comes_within(site == kEast ? 0 : 9 * static_cast<double>(tasks));
  };
  CHECK(schedule.all_done_at(workers, anywhere, kFree) == Seconds(30));
  // A state of the west would need 4 s to the east, whose task waits for it.
  OpenTasks in_west{.queued = {{kWest, 1}}};
  in_west.delivery = [](SiteId site, std::int64_t /*tasks*/) { return comes_within(site == kEast ? 1 : 8); };
  CHECK(schedule.all_done_at(workers, in_west, {{{kWest, kEast}, Seconds(4)}}) == Seconds(15));
}

TEST_CASE("what a site's first tasks give is on its way while the next are done", "[outer]") {
  const EarliestFinish schedule;
  const std::vector<WorkerTimes> west{takes(10, 0, kWest)};
  OpenTasks tasks{.queued = {{kWest, 3}}};
  double each = 4;
  Seconds given{std::numeric_limits<double>::infinity()};
  tasks.delivery = [&](SiteId /*site*/, std::int64_t more) {
    return Delivery{Seconds(each), Seconds(each * static_cast<double>(more + (std::isinf(given.count()) ? 0 : 1))),
                    given};
  };
  // The line is free again when each task ends: the last one's is there 4 s later.
  CHECK(schedule.all_done_at(west, tasks, kFree) == Seconds(34));
  // The line is full from the end of the first at 10 s.
  each = 15;
  CHECK(schedule.all_done_at(west, tasks, kFree) == Seconds(10 + 3 * 15));
  // One was given out before, whose outer gradients left at 2 s.
  given = Seconds(2);
  CHECK(schedule.all_done_at(west, tasks, kFree) == Seconds(2 + 4 * 15));
}

TEST_CASE("the latest end of a task is the one with which all is there in time", "[outer]") {
  const Delivery alone{Seconds(3), Seconds(3)};
  CHECK(alone.done_at(Seconds(10)) == Seconds(13));
  CHECK(alone.latest_end(Seconds(13)) == Seconds(10));
  const Delivery behind{Seconds(3), Seconds(9), Seconds(5)};
  CHECK(behind.done_at(Seconds(6)) == Seconds(14));
  CHECK(behind.done_at(Seconds(20)) == Seconds(23));
  CHECK(behind.latest_end(Seconds(23)) == Seconds(20));
  CHECK(behind.done_at(behind.latest_end(Seconds(14))) == Seconds(14));
  // Sooner than what was given out can be there: only if it had ended before that.
  CHECK(behind.latest_end(Seconds(12)) == Seconds(3));
}

TEST_CASE("the end that earliest_finish foresees is the least possible", "[outer]") {
  Draws draws(20);
  const EarliestFinish schedule;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<WorkerTimes> workers;
    for (int k = 1 + draws.below(6); k > 0; --k) workers.push_back(takes(1 + draws.below(50), draws.below(40)));
    const std::int64_t queued = draws.below(10);
    const std::int64_t coming = 1 + draws.below(10);
    const double coming_at = draws.below(60);
    const double all = least_by_trial(workers, queued + coming, 0);
    const double later = least_by_trial(workers, coming, coming_at);
    INFO("trial " << trial);
    CHECK(schedule.all_done_at(workers, coming_late(queued, coming, coming_at), kFree).count() ==
          Approx(std::max(all, later)));
  }
}

TEST_CASE("a state moves only to where its task is done sooner in spite of its way", "[outer]") {
  const EarliestFinish schedule;
  const std::vector<WorkerTimes> workers{takes(40), takes(10, 0, kWest)};
  const OpenTasks tasks{.queued = {{kEast, 3}, {kWest, 2}}};
  // The west has done its own tasks at 20 s. Both others of the east go there, done at 30 s and 40 s.
  CHECK(schedule.all_done_at(workers, tasks, kFree) == Seconds(40));
  // Each of them comes 25 s later: at 55 s, and the second at 80 s is no sooner than in the east.
  CHECK(schedule.all_done_at(workers, tasks, {{{kEast, kWest}, Seconds(25)}}) == Seconds(80));
  // At 110 s, sooner than the third one of the east would be done.
  CHECK(schedule.all_done_at(workers, tasks, {{{kEast, kWest}, Seconds(80)}}) == Seconds(110));
  CHECK(schedule.all_done_at(workers, tasks, {{{kEast, kWest}, Seconds(1000)}}) == Seconds(120));
  CHECK(schedule.all_done_at(workers, tasks, {{{kWest, kEast}, Seconds(1000)}}) == Seconds(40));
  // With two machines in the west each state comes in its turn: at 25 s, 50 s and 75 s.
  const std::vector<WorkerTimes> three{takes(90), takes(10, 0, kWest), takes(10, 0, kWest)};
  CHECK(schedule.all_done_at(three, {.queued = {{kEast, 3}}}, {{{kEast, kWest}, Seconds(25)}}) == Seconds(85));
  // What has no state yet begins anywhere; what lies where nobody works has to move.
  CHECK(schedule.all_done_at(workers, {.queued = {{kNowhere, 5}}}, {{{kEast, kWest}, Seconds(1000)}}) == Seconds(40));
  CHECK(schedule.all_done_at(std::vector{takes(10)}, {.queued = {{kWest, 2}}}, {{{kWest, kEast}, Seconds(30)}}) ==
        Seconds(80));
}

TEST_CASE("a state comes after those that are on their way to the same site", "[outer]") {
  const std::vector<WorkerTimes> workers{takes(10, 0, kEast), takes(10, 0, kWest)};
  const StateMoves moves{{{kEast, kWest}, Seconds(5)}};
  CHECK(EarliestFinish().all_done_at(workers, {.queued = at_home(2)}, moves) == Seconds(15));
  const OpenTasks behind{.queued = at_home(2), .way_free = {{kWest, Seconds(3)}}};
  CHECK(EarliestFinish().all_done_at(workers, behind, moves) == Seconds(18));
  const OpenTasks far_behind{.queued = at_home(2), .way_free = {{kWest, Seconds(30)}, {SiteId{9}, Seconds(1)}}};
  CHECK(EarliestFinish().all_done_at(workers, far_behind, moves) == Seconds(20));  // it waits for the east
}

}  // namespace dipaco::testing
