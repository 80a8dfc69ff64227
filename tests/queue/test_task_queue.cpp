#include <catch2/catch.hpp>

#include "core/queue/task_queue.hpp"

namespace dipaco {
namespace {

constexpr SiteId kEast{0};
constexpr SiteId kWest{1};
constexpr Seconds kNow{0};

Topology two_by_two() { return make_topology({.levels = "2x2"}, {.blocks = 2}, "."); }

/// Assigns all that can be, in order.
std::vector<std::pair<int, int>> assign_all(TaskQueue& queue) {
  std::vector<std::pair<int, int>> pairs;
  while (const auto a = queue.assign(kNow)) pairs.emplace_back(index(a->path), index(a->worker));
  return pairs;
}

}  // namespace

TEST_CASE("paths without a last worker go to the fastest free workers first", "[queue]") {
  const Topology topology = two_by_two();
  TaskQueue queue(topology, 3);
  queue.dispatch().worker_up(NodeId{10}, kEast, 1.0);
  queue.dispatch().worker_up(NodeId{11}, kEast, 5.0);
  queue.start(kNow);
  CHECK(assign_all(queue) == std::vector<std::pair<int, int>>{{0, 11}, {1, 10}});
}

TEST_CASE("a path goes on as soon as its own modules are ready, not all", "[queue]") {
  const Topology topology = two_by_two();  // paths (0,0) (0,1) (1,0) (1,1)
  TaskQueue queue(topology, 3);
  for (int w = 0; w < 4; ++w) queue.dispatch().worker_up(NodeId{10 + w}, kEast, 1.0);
  queue.start(kNow);
  assign_all(queue);
  for (const int p : {0, 1, 2}) queue.committed(PathId{p}, 1, kEast, kNow);
  // Path 3 is slow: modules (1, ...) and (..., 1) wait for it, path 0's do not.
  CHECK(queue.module_ready({0, 0}, Version{1}, {}, kNow).empty());
  CHECK(queue.module_ready({1, 0}, Version{1}, {}, kNow) == std::vector<PathId>{PathId{0}});
  CHECK(queue.path(PathId{3}).version == 0);
  CHECK(queue.path(PathId{0}).phase == PathEntry::Phase::queued);
  CHECK(queue.missing_modules(PathId{1}) == std::vector<ModuleId>{{1, 1}});
}

TEST_CASE("a path prefers its last worker, then its state's site", "[queue]") {
  const Topology topology = make_topology({.levels = "flat:1"}, {.blocks = 1}, ".");
  TaskQueue queue(topology, 4);
  queue.dispatch().worker_up(NodeId{10}, kEast, 1.0);
  queue.start(kNow);
  assign_all(queue);
  queue.dispatch().worker_up(NodeId{11}, kWest, 9.0);
  queue.dispatch().worker_up(NodeId{12}, kEast, 2.0);
  queue.dispatch().worker_free(NodeId{10});
  queue.committed(PathId{0}, 1, kEast, kNow);
  queue.advance(PathId{0}, kNow);
  CHECK(assign_all(queue) == std::vector<std::pair<int, int>>{{0, 10}});
  queue.dispatch().worker_gone(NodeId{10});
  queue.path(PathId{0}).question(kNow);
  queue.requeue(PathId{0}, kNow);
  CHECK(assign_all(queue) == std::vector<std::pair<int, int>>{{0, 12}});  // slower than 11, but at the state's site
}

TEST_CASE("no path takes the worker that another queued path had last", "[queue]") {
  const Topology topology = make_topology({.levels = "flat:2"}, {.blocks = 1}, ".");
  TaskQueue queue(topology, 3);
  queue.dispatch().worker_up(NodeId{10}, kEast, 1.0);
  queue.dispatch().worker_up(NodeId{11}, kEast, 1.0);
  queue.start(kNow);
  assign_all(queue);  // 0 on 10, 1 on 11
  queue.dispatch().worker_gone(NodeId{10});
  for (const int p : {0, 1}) {
    queue.committed(PathId{p}, 1, kEast, kNow);
    queue.advance(PathId{p}, kNow);
  }
  queue.dispatch().worker_free(NodeId{11});
  CHECK(assign_all(queue) == std::vector<std::pair<int, int>>{{1, 11}});  // path 0 comes first in order, but waits
}

TEST_CASE("an attempt that is lost goes out again under a higher epoch, with what was handed back", "[queue]") {
  const Topology topology = make_topology({.levels = "flat:1"}, {.blocks = 1}, ".");
  TaskQueue queue(topology, 1);
  queue.dispatch().worker_up(NodeId{10}, kEast, 1.0);
  queue.start(kNow);
  assign_all(queue);
  CHECK(queue.path(PathId{0}).attempt.epoch == 1);
  queue.path(PathId{0}).question(kNow);
  queue.path(PathId{0}).note_handed_back(7, kEast);
  queue.path(PathId{0}).note_handed_back(3, kEast);  // an older part changes nothing
  queue.requeue(PathId{0}, kNow);
  queue.dispatch().worker_free(NodeId{10});
  assign_all(queue);
  CHECK(queue.path(PathId{0}).attempt.epoch == 2);
  CHECK(queue.path(PathId{0}).inner_steps == 7);
}

TEST_CASE("a commit counts once, and the last one ends the path", "[queue]") {
  const Topology topology = make_topology({.levels = "flat:1"}, {.blocks = 1}, ".");
  TaskQueue queue(topology, 1);
  queue.dispatch().worker_up(NodeId{10}, kEast, 1.0);
  queue.start(kNow);
  assign_all(queue);
  CHECK(queue.committed(PathId{0}, 1, kEast, kNow));
  CHECK_FALSE(queue.committed(PathId{0}, 1, kEast, kNow));
  CHECK_FALSE(queue.paths().all_done());
  queue.advance(PathId{0}, kNow);
  CHECK(queue.paths().all_done());
  CHECK(queue.paths().committed_tasks() == 1);
}

TEST_CASE("tasks from the held outer step on wait until it is moved", "[queue]") {
  const Topology topology = make_topology({.levels = "flat:2"}, {.blocks = 1}, ".");
  TaskQueue queue(topology, 3);
  queue.dispatch().hold_from(OuterStep{1});
  for (const int w : {10, 11}) queue.dispatch().worker_up(NodeId{w}, kEast, 1.0);
  queue.start(kNow);
  CHECK(assign_all(queue) == std::vector<std::pair<int, int>>{{0, 10}, {1, 11}});
  queue.dispatch().worker_free(NodeId{10});
  queue.committed(PathId{0}, 1, kEast, kNow);
  CHECK(queue.advance(PathId{0}, kNow));
  CHECK(queue.path(PathId{0}).phase == PathEntry::Phase::queued);
  CHECK(assign_all(queue).empty());
  queue.dispatch().hold_from(OuterStep{2});
  CHECK(assign_all(queue) == std::vector<std::pair<int, int>>{{0, 10}});
}

TEST_CASE("a worker's paths are those that it runs or was the last to run, also once it is gone", "[queue]") {
  const Topology topology = make_topology({.levels = "flat:2"}, {.blocks = 1}, ".");
  TaskQueue queue(topology, 3);
  CHECK(queue.paths().of_worker(NodeId{10}).empty());
  queue.dispatch().worker_up(NodeId{10}, kEast, 1.0);
  queue.start(kNow);
  assign_all(queue);
  queue.path(PathId{0}).question(kNow);
  queue.dispatch().worker_free(NodeId{10});
  assign_all(queue);  // path 1
  CHECK(queue.paths().of_worker(NodeId{10}) == std::set{PathId{0}, PathId{1}});
  queue.dispatch().worker_gone(NodeId{10});
  CHECK(queue.paths().of_worker(NodeId{10}) == std::set{PathId{0}, PathId{1}});
  queue.dispatch().worker_up(NodeId{11}, kEast, 1.0);
  queue.requeue(PathId{0}, kNow);
  assign_all(queue);
  CHECK(queue.paths().of_worker(NodeId{10}) == std::set{PathId{1}});
  CHECK(queue.paths().of_worker(NodeId{11}) == std::set{PathId{0}});
}

TEST_CASE("the lowest version is that of the path or shared module that is furthest back", "[queue]") {
  const Topology topology = two_by_two();
  TaskQueue queue(topology, 3);
  for (int w = 0; w < 4; ++w) queue.dispatch().worker_up(NodeId{10 + w}, kEast, 1.0);
  queue.start(kNow);
  assign_all(queue);
  for (int p = 0; p < 4; ++p) {
    CHECK(queue.lowest_version() == 0);
    queue.committed(PathId{p}, 1, kEast, kNow);
  }
  for (const ModuleId module : topology.modules()) {
    CHECK(queue.lowest_version() == 0);
    queue.module_ready(module, Version{1}, {}, kNow);
  }
  CHECK(queue.lowest_version() == 1);
}

TEST_CASE("what a journal says of paths and modules moves the lowest version and a worker's paths", "[queue]") {
  const Topology topology = two_by_two();
  TaskQueue queue(topology, 3);
  for (int p = 0; p < 4; ++p) {
    queue.restore(PathId{p}, {.version = 2, .attempt = {.worker = NodeId{10 + p / 2}}}, p == 3);
  }
  CHECK(queue.lowest_version() == 0);
  for (const ModuleId module : topology.modules()) queue.restore(module, Version{1}, {});
  CHECK(queue.lowest_version() == 1);
  CHECK(queue.paths().committed_tasks() == 8);  // 4 paths x 2 outer steps
  CHECK(queue.paths().of_worker(NodeId{11}) == std::set{PathId{2}, PathId{3}});
  CHECK(queue.path(PathId{3}).phase == PathEntry::Phase::running);
}

}  // namespace dipaco
