#include <array>
#include <catch2/catch.hpp>

#include "core/outer/asynchronous.hpp"
#include "core/queue/most_useful.hpp"
#include "core/queue/task_queue.hpp"

namespace dipaco {
namespace {

constexpr SiteId kHome{0};
constexpr SiteId kAway{1};
constexpr NodeId kSlow{10};
constexpr NodeId kFast{11};
constexpr NodeId kFastAway{12};

/// Ten inner steps take the slow worker 4 s, each other one 1 s; all do tasks of 1 s.
Fleet unequal_fleet() {
  Fleet fleet;
  fleet.cost_is({.inner_step = 1, .lengths = TaskLengths(10, 100), .state = Bytes{1000}});
  fleet.up(kSlow, kHome, 2.5, true);
  fleet.up(kFast, kHome, 10, true);
  fleet.up(kFastAway, kAway, 10, true);
  return fleet;
}

/// Whose state is at home, and moves away at so many seconds a byte.
std::optional<NodeId> who_takes(std::vector<std::optional<NodeId>> some, double seconds_a_byte) {
  SiteWays ways;
  ways.state_is(Bytes{1000});
  ways.way_takes(kHome, kAway, seconds_a_byte);
  PathEntry path;
  path.version = 1;
  path.site = kHome;
  return most_useful(path, some, unequal_fleet(), ways);
}

/// The slow worker or the fast one of the same site, if the path's last task was this worker's and its module comes
/// from away, at so many seconds a byte.
std::optional<NodeId> who_goes_on(NodeId last, std::int32_t version, double seconds_a_byte) {
  SiteWays ways;
  ways.state_is(Bytes{1000});
  const ModuleId module{0, 0};
  ways.exchange().module_is(module, {.version = {.each = Bytes{1000}}});
  ways.exchange().owned_at(module, kAway);
  ways.way_takes(kAway, kHome, seconds_a_byte);
  PathEntry path;
  path.version = version;
  path.site = kHome;
  path.attempt.worker = last;
  const std::array<std::optional<NodeId>, 2> some{kSlow, kFast};
  return most_useful(path, some, unequal_fleet(), ways);
}

std::vector<std::pair<int, int>> assign_all_to(TaskQueue& queue, double now) {
  std::vector<std::pair<int, int>> given;
  while (const auto next = queue.assign(Seconds(now))) given.emplace_back(index(next->path), index(next->worker));
  return given;
}

}  // namespace

TEST_CASE("a path goes to who does most of it in the time, with the way of its state", "[queue]") {
  CHECK(who_takes({kSlow, kFast}, 0) == kFast);
  CHECK(who_takes({kSlow, kFastAway}, 0) == kFastAway);
  CHECK(who_takes({kSlow, kFastAway}, 0.002) == kFastAway);  // ten steps in 1 + 2 s, not two of 0.4 s
  CHECK(who_takes({kSlow, kFastAway}, 0.004) == kSlow);      // in 1 + 4 s
  CHECK(who_takes({kFast, kFastAway}, 0) == kFast);          // as useful: the first stays
  CHECK(who_takes({std::nullopt, kSlow}, 0) == kSlow);
  CHECK(who_takes({std::nullopt}, 0) == std::nullopt);
}

TEST_CASE("who was a path's last worker has its modules already", "[queue]") {
  CHECK(who_goes_on(kSlow, 1, 0.002) == kFast);  // ten steps in 1 + 2 s, not two of 0.4 s
  CHECK(who_goes_on(kSlow, 1, 0.004) == kSlow);  // in 1 + 4 s
  CHECK(who_goes_on(kFast, 1, 0.004) == kFast);
  CHECK(who_goes_on(kSlow, 0, 0.004) == kFast);  // all begin with the prepared start
}

TEST_CASE("where tasks differ in length, a path that is behind goes first, and ends with its last inner step",
          "[queue]") {
  const Topology topology = make_topology({.levels = "flat:2"}, {.blocks = 1}, ".");
  const SyncPolicy policy = asynchronous_policy({});
  TaskQueue queue(
      topology, 40, policy, [](PathId, OuterStep step) { return step; }, TaskLengths(10, 20));
  queue.dispatch().worker_up(kSlow, kHome, 2.5);
  queue.dispatch().worker_up(kFast, kHome, 10);
  queue.start(Seconds(0));
  CHECK(assign_all_to(queue, 0) == std::vector<std::pair<int, int>>{{0, 11}, {1, 10}});
  CHECK(queue.path(PathId{0}).length == 10);
  CHECK(queue.path(PathId{1}).length == 2);
  for (const int path : {0, 1}) {
    queue.committed(PathId{path}, 1, kHome, Seconds(1));
    queue.advance(PathId{path}, Seconds(1));
  }
  // Path 0 has 10 inner steps, path 1 has 2. Neither's last worker is free.
  queue.dispatch().worker_up(kFastAway, kHome, 10);
  CHECK(assign_all_to(queue, 1) == std::vector<std::pair<int, int>>{{1, 12}});
  queue.dispatch().worker_free(kSlow);
  queue.dispatch().worker_free(kFast);
  CHECK(assign_all_to(queue, 1) == std::vector<std::pair<int, int>>{{0, 11}});
  queue.committed(PathId{1}, 2, kHome, Seconds(2));
  queue.advance(PathId{1}, Seconds(2));
  queue.dispatch().worker_free(kFastAway);
  CHECK(assign_all_to(queue, 2) == std::vector<std::pair<int, int>>{{1, 12}});
  CHECK(queue.path(PathId{1}).length == 8);  // 12 of 20 are done
  CHECK(TaskLengths(10, 20).is_last(queue.path(PathId{1})));
  queue.committed(PathId{1}, 3, kHome, Seconds(3));
  queue.advance(PathId{1}, Seconds(3));
  CHECK(queue.path(PathId{1}).phase == PathEntry::Phase::done);
  CHECK(queue.paths().trained() == 30);
}

}  // namespace dipaco
