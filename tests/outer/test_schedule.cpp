#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/outer/schedule.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

WorkerTimes takes(double task, double free_at = 0) { return {Seconds(task), Seconds(free_at)}; }

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
  CHECK(std::isinf(FirstFree().all_done_at(workers, {.queued = 1}).count()));
}

TEST_CASE("with earliest_finish an outer step ends as soon as these workers can end it", "[outer]") {
  const EarliestFinish schedule;
  // wan_4dc's ten machines, and eight tasks: three each for the two at 26 s, one each for the two at 74 s.
  std::vector<WorkerTimes> workers{takes(26), takes(26), takes(74), takes(74)};
  for (int k = 0; k < 4; ++k) workers.push_back(takes(276));
  for (int k = 0; k < 2; ++k) workers.push_back(takes(341));
  CHECK(schedule.all_done_at(workers, {.queued = 8}) == Seconds(78));
  // With the fastest two away for two minutes, the next two take two tasks each.
  workers[0].free_at = workers[1].free_at = Seconds(120);
  CHECK(schedule.all_done_at(workers, {.queued = 8}) == Seconds(172));
}

TEST_CASE("what cannot begin yet is done by workers that are free then, too", "[outer]") {
  const EarliestFinish schedule;
  const std::vector<WorkerTimes> workers{takes(10), takes(40)};
  CHECK(schedule.all_done_at(workers, {.queued = 2}) == Seconds(20));
  // The slow one may do a task that can begin now, although the others come later only.
  CHECK(schedule.all_done_at(workers, {.queued = 1, .coming = 1, .coming_at = Seconds(30)}) == Seconds(40));
  CHECK(schedule.all_done_at(workers, {.queued = 1, .coming = 3, .coming_at = Seconds(30)}) == Seconds(60));
}

TEST_CASE("no tasks are done at once, and without workers nobody knows when", "[outer]") {
  const EarliestFinish schedule;
  const std::vector<WorkerTimes> one{takes(10)};
  CHECK(schedule.all_done_at(one, {}) < Seconds(0));
  CHECK(std::isinf(schedule.all_done_at({}, {.queued = 1}).count()));
}

TEST_CASE("the end that earliest_finish foresees is the least possible", "[outer]") {
  Draws draws(20);
  const EarliestFinish schedule;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<WorkerTimes> workers;
    for (int k = 1 + draws.below(6); k > 0; --k) workers.push_back(takes(1 + draws.below(50), draws.below(40)));
    const OpenTasks tasks{
        .queued = draws.below(10), .coming = 1 + draws.below(10), .coming_at = Seconds(draws.below(60))};
    const double all = least_by_trial(workers, tasks.queued + tasks.coming, 0);
    const double coming = least_by_trial(workers, tasks.coming, tasks.coming_at.count());
    INFO("trial " << trial);
    CHECK(schedule.all_done_at(workers, tasks).count() == Approx(std::max(all, coming)));
  }
}

}  // namespace dipaco::testing
