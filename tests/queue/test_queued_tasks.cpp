#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/queue/waiting/queued_tasks.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

using Queued = QueuedTasks::Task;
constexpr NodeId kWorkerA{7};
constexpr NodeId kWorkerB{8};
constexpr NodeId kNoWorker{-1};
constexpr OuterStep kAllSteps{100};

Queued task_of(std::int32_t step, std::int32_t path) { return {OuterStep{step}, PathId{path}}; }

bool any_path(PathId /*path*/) { return true; }
bool nobody(PathId /*path*/) { return false; }

/// The same choice, by a walk over all tasks.
class WalkedTasks {
 public:
  std::map<Queued, NodeId> all;  ///< with the path's last worker
  std::set<NodeId> free;

  template <class CanBeHad, class AtHome>
  std::optional<Queued> choose(OuterStep end, const CanBeHad& can_be_had, const AtHome& at_home) const {
    const auto can_go = [&](const auto& entry) { return entry.first.first < end && can_be_had(entry.first.second); };
    auto chosen = std::find_if(all.begin(), all.end(),
                               [&](const auto& entry) { return free.contains(entry.second) && can_go(entry); });
    if (chosen == all.end()) {
      chosen = std::find_if(all.begin(), all.end(), can_go);
    } else {
      const auto earlier = std::find_if(all.begin(), chosen, [&](const auto& entry) {
        return entry.first.first < chosen->first.first && at_home(entry.first.second);
      });
      if (earlier != chosen) chosen = earlier;
    }
    return chosen == all.end() ? std::nullopt : std::optional(chosen->first);
  }
};

}  // namespace

TEST_CASE("tasks go out by outer step, and within one by path", "[queue]") {
  QueuedTasks tasks;
  CHECK(tasks.empty());
  CHECK(tasks.choose(kAllSteps, any_path, nobody) == std::nullopt);
  tasks.add(task_of(2, 0), kNoWorker);
  tasks.add(task_of(1, 5), kNoWorker);
  tasks.add(task_of(1, 4), kNoWorker);
  CHECK(tasks.choose(kAllSteps, any_path, nobody) == task_of(1, 4));
  tasks.remove(task_of(1, 4), kNoWorker);
  CHECK(tasks.choose(kAllSteps, any_path, nobody) == task_of(1, 5));
  tasks.remove(task_of(1, 5), kNoWorker);
  CHECK(tasks.choose(kAllSteps, any_path, nobody) == task_of(2, 0));
  tasks.remove(task_of(2, 0), kNoWorker);
  CHECK(tasks.empty());
}

TEST_CASE("a path whose last worker is free goes before earlier ones whose is not", "[queue]") {
  QueuedTasks tasks;
  tasks.add(task_of(1, 0), kWorkerA);
  tasks.add(task_of(2, 1), kWorkerB);
  tasks.add(task_of(3, 2), kWorkerB);
  tasks.worker_is(true, kWorkerB);
  CHECK(tasks.choose(kAllSteps, any_path, nobody) == task_of(2, 1));
  tasks.worker_is(true, kWorkerA);
  CHECK(tasks.choose(kAllSteps, any_path, nobody) == task_of(1, 0));
  tasks.worker_is(false, kWorkerA);
  tasks.worker_is(false, kWorkerB);
  CHECK(tasks.choose(kAllSteps, any_path, nobody) == task_of(1, 0));
}

TEST_CASE("a task of an earlier outer step goes before those of a free worker, where its state need not move",
          "[queue]") {
  QueuedTasks tasks;
  tasks.add(task_of(1, 0), kNoWorker);
  tasks.add(task_of(1, 1), kWorkerB);
  tasks.add(task_of(2, 2), kWorkerA);
  tasks.worker_is(true, kWorkerA);
  const auto path_1 = [](PathId path) { return path == PathId{1}; };
  CHECK(tasks.choose(kAllSteps, any_path, path_1) == task_of(1, 1));
  CHECK(tasks.choose(kAllSteps, any_path, nobody) == task_of(2, 2));
  tasks.add(task_of(1, 3), kWorkerA);  // of the same outer step as the worker's own
  CHECK(tasks.choose(kAllSteps, any_path, path_1) == task_of(1, 3));
}

TEST_CASE("tasks from the end on and tasks that cannot be had are not chosen", "[queue]") {
  QueuedTasks tasks;
  tasks.add(task_of(1, 0), kNoWorker);
  tasks.add(task_of(2, 1), kWorkerA);
  tasks.worker_is(true, kWorkerA);
  CHECK(tasks.choose(OuterStep{2}, any_path, nobody) == task_of(1, 0));
  CHECK(tasks.choose(OuterStep{1}, any_path, nobody) == std::nullopt);
  CHECK(tasks.choose(
            kAllSteps, [](PathId path) { return path != PathId{1}; }, nobody) == task_of(1, 0));
  CHECK(tasks.choose(kAllSteps, nobody, nobody) == std::nullopt);
}

TEST_CASE("a later task of a free worker is chosen where its first cannot be had", "[queue]") {
  QueuedTasks tasks;
  tasks.add(task_of(1, 0), kWorkerA);
  tasks.add(task_of(4, 1), kWorkerA);
  tasks.add(task_of(2, 2), kWorkerB);
  tasks.add(task_of(3, 3), kNoWorker);
  tasks.worker_is(true, kWorkerA);
  const auto not_path_0 = [](PathId path) { return path != PathId{0}; };
  CHECK(tasks.choose(kAllSteps, not_path_0, nobody) == task_of(4, 1));
  tasks.worker_is(true, kWorkerB);  // its first is before A's second
  CHECK(tasks.choose(kAllSteps, not_path_0, nobody) == task_of(2, 2));
}

TEST_CASE("tasks are chosen as by a walk over all of them, whatever has happened", "[queue]") {
  constexpr std::int32_t kPaths = 16;
  constexpr std::int32_t kSteps = 6;
  QueuedTasks tasks;
  WalkedTasks walked;
  Draws draws(3);
  for (int k = 0; k < 5000; ++k) {
    const NodeId worker{draws.below(6) - 1};  // -1: nobody ran the path before
    const Queued task = task_of(draws.below(kSteps), draws.below(kPaths));
    if (draws.once_in(3) && worker != kNoWorker) {
      const bool free = draws.once_in(2);
      tasks.worker_is(free, worker);
      free ? static_cast<void>(walked.free.insert(worker)) : static_cast<void>(walked.free.erase(worker));
    } else if (walked.all.contains(task)) {
      tasks.remove(task, walked.all.at(task));
      walked.all.erase(task);
    } else {
      tasks.add(task, worker);
      walked.all.emplace(task, worker);
    }
    REQUIRE(tasks.empty() == walked.all.empty());
    const OuterStep end{draws.below(kSteps + 1)};
    const std::int32_t away = draws.below(4);  // 0: every path can be had; else one of four cannot
    const auto can_be_had = [&](PathId path) { return away == 0 || index(path) % 4 != away; };
    const auto at_home = [&](PathId path) { return can_be_had(path) && index(path) % 3 == 0; };
    REQUIRE(tasks.choose(end, can_be_had, at_home) == walked.choose(end, can_be_had, at_home));
  }
}

TEST_CASE("of a worker's tasks of an outer step the one of least rank goes out, of those that are like its first",
          "[queue]") {
  QueuedTasks tasks;
  tasks.add(task_of(1, 4), kWorkerA);
  tasks.add(task_of(1, 5), kWorkerA);
  tasks.add(task_of(1, 6), kWorkerA);
  tasks.add(task_of(1, 7), kWorkerB);
  tasks.add(task_of(2, 8), kWorkerA);
  const auto last_first = [](PathId path) { return -index(path); };
  CHECK(tasks.least_of(task_of(1, 4), kWorkerA, any_path, last_first) == PathId{6});
  CHECK(tasks.least_of(
            task_of(1, 4), kWorkerA, [](PathId path) { return path != PathId{6}; }, last_first) == PathId{5});
  CHECK(tasks.least_of(task_of(1, 4), kWorkerA, nobody, last_first) == PathId{4});
  CHECK(tasks.least_of(task_of(1, 4), kWorkerA, any_path, [](PathId /*path*/) { return 0; }) == PathId{4});
  CHECK(tasks.least_of(task_of(1, 7), kWorkerA, any_path, last_first) == PathId{7});  // another was the last there
  CHECK(tasks.least_of(task_of(2, 8), kWorkerA, any_path, last_first) == PathId{8});
}

}  // namespace dipaco::testing
