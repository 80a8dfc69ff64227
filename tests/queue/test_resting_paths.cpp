#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "core/outer/asynchronous.hpp"
#include "core/queue/task_queue.hpp"
#include "core/queue/waiting/resting_paths.hpp"

namespace dipaco {
namespace {

using Paths = std::vector<PathId>;

}  // namespace

TEST_CASE("paths that end within the grace of the first begin together", "[queue]") {
  RestingPaths resting(4, Seconds(10));
  CHECK(resting.begin(Seconds(0)).empty());
  CHECK_FALSE(resting.over_at());
  resting.add(PathId{2}, Seconds(100));
  resting.add(PathId{0}, Seconds(107));
  CHECK(resting.over_at() == Seconds(110));
  CHECK(resting.begin(Seconds(109.9)).empty());
  CHECK(resting.contains(PathId{0}));
  CHECK(resting.begin(Seconds(110)) == Paths{PathId{0}, PathId{2}});
  CHECK_FALSE(resting.over_at());
  resting.add(PathId{1}, Seconds(111));  // the first of the next
  CHECK(resting.over_at() == Seconds(121));
}

TEST_CASE("nobody rests for those who have begun their last task", "[queue]") {
  RestingPaths resting(4, Seconds(1e6));
  for (const int path : {0, 1, 2}) resting.add(PathId{path}, Seconds(path));
  CHECK(resting.begin(Seconds(5)).empty());
  resting.last_begins(PathId{3});
  CHECK(resting.begin(Seconds(5)) == Paths{PathId{0}, PathId{1}, PathId{2}});
  resting.add(PathId{0}, Seconds(6));
  resting.last_begins(PathId{0});
  CHECK_FALSE(resting.contains(PathId{0}));
  CHECK(resting.begin(Seconds(7)).empty());
}

TEST_CASE("paths that rested begin with the versions that are out at the end of the grace", "[queue]") {
  const Topology topology = make_topology({.levels = "shared:3"}, {.blocks = 1}, ".");
  const ModuleId module{0, 0};
  const SyncPolicy policy = asynchronous_policy({.grace = Seconds(10)});
  TaskQueue queue(topology, 2, policy);
  for (const int worker : {10, 11, 12}) queue.dispatch().worker_up(NodeId{worker}, SiteId{0}, 1.0);
  queue.start(Seconds(0));
  CHECK(queue.begin_rested(Seconds(0)).size() == 3);  // all are there
  while (queue.assign(Seconds(0))) {
  }
  const auto ends = [&](int path, int version, Seconds now) {
    queue.dispatch().worker_free(queue.path(PathId{path}).attempt.worker);
    queue.committed(PathId{path}, 1, SiteId{0}, now);
    CHECK(queue.module_ready(module, Version{version}, {{PathId{path}, OuterStep{1}}}, now).empty());
    CHECK_FALSE(queue.advance(PathId{path}, now));
    CHECK_FALSE(queue.assign(now));
  };
  ends(1, 1, Seconds(50));
  ends(0, 2, Seconds(58));
  CHECK(queue.begin_rested(Seconds(59)).empty());
  CHECK(queue.resting().over_at() == Seconds(60));
  CHECK(queue.begin_rested(Seconds(60)) == Paths{PathId{0}, PathId{1}});
  queue.module_ready(module, Version{3}, {}, Seconds(61));  // before a worker takes them
  while (queue.assign(Seconds(62))) {
  }
  for (const int path : {0, 1}) CHECK(version_in(queue.path(PathId{path}).base, module) == Version{2});
  CHECK(version_in(queue.path(PathId{2}).base, module) == Version{0});
  ends(2, 4, Seconds(70));
  CHECK(queue.begin_rested(Seconds(70)) == Paths{PathId{2}});  // the others are at their last task
}

TEST_CASE("a path that has rested does not rest again for a coordinator that begins anew", "[queue]") {
  const Topology topology = make_topology({.levels = "shared:2"}, {.blocks = 1}, ".");
  const SyncPolicy policy = asynchronous_policy({.grace = Seconds(10)});
  TaskQueue queue(topology, 4, policy);
  const std::map<PathId, OuterStep> settled{{PathId{0}, OuterStep{1}}, {PathId{1}, OuterStep{3}}};
  queue.restore(ModuleId{0, 0}, Version{4}, settled);
  PathEntry rested;
  rested.version = 1;
  rested.base = {{ModuleId{0, 0}, Version{2}}};
  queue.restore(PathId{0}, rested, false);
  PathEntry at_last_task;
  at_last_task.version = 3;
  at_last_task.attempt.epoch = at_last_task.last_epoch = 1;
  queue.restore(PathId{1}, at_last_task, true);
  queue.start(Seconds(100));
  CHECK(queue.path(PathId{0}).phase == PathEntry::Phase::queued);
  CHECK_FALSE(queue.resting().over_at());
  CHECK(version_in(queue.path(PathId{0}).base, ModuleId{0, 0}) == Version{2});
}

}  // namespace dipaco
