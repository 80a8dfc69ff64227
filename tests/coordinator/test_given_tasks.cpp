#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/coordinator/tables/given_tasks.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

GivenTask given(std::int32_t path, std::int32_t outer_step, Epoch epoch = 1) {
  return {.id = {.path = PathId{path}, .outer_step = OuterStep{outer_step}}, .epoch = epoch, .to_stores = {}};
}

}  // namespace

TEST_CASE("a worker is at its task until it is removed", "[queue]") {
  GivenTasks tasks;
  CHECK(tasks.find(NodeId{1}) == nullptr);
  tasks.set(NodeId{1}, given(4, 2, 3));
  REQUIRE(tasks.find(NodeId{1}) != nullptr);
  CHECK(tasks.find(NodeId{1})->id == TaskId{.path = PathId{4}, .outer_step = OuterStep{2}});
  CHECK(tasks.find(NodeId{1})->epoch == 3);
  CHECK(tasks.of(PathId{4}) == std::set{NodeId{1}});
  CHECK(tasks.of(PathId{2}).empty());
  tasks.remove(NodeId{1});
  tasks.remove(NodeId{1});  // once more changes nothing
  CHECK(tasks.find(NodeId{1}) == nullptr);
  CHECK(tasks.of(PathId{4}).empty());
}

TEST_CASE("two workers may be at one path, and a worker's new task takes the old one's place", "[queue]") {
  GivenTasks tasks;
  tasks.set(NodeId{1}, given(4, 2));
  tasks.set(NodeId{2}, given(4, 2));  // worker 1's attempt counts no more, but it does not know
  CHECK(tasks.of(PathId{4}) == std::set{NodeId{1}, NodeId{2}});
  tasks.set(NodeId{1}, given(5, 2));
  CHECK(tasks.of(PathId{4}) == std::set{NodeId{2}});
  CHECK(tasks.of(PathId{5}) == std::set{NodeId{1}});
  CHECK(tasks.all().size() == 2);
}

TEST_CASE("what is changed in a task through find or all stays changed", "[queue]") {
  GivenTasks tasks;
  tasks.set(NodeId{1}, given(4, 2));
  tasks.find(NodeId{1})->epoch = 9;
  CHECK(tasks.all().at(NodeId{1}).epoch == 9);
  tasks.all().at(NodeId{1}).to_stores = {NodeId{6}};
  CHECK(std::as_const(tasks).find(NodeId{1})->to_stores == std::vector{NodeId{6}});
}

TEST_CASE("the workers at a path are those that a walk over all finds, whatever has happened", "[queue]") {
  constexpr std::int32_t kPaths = 5;
  GivenTasks tasks;
  std::map<NodeId, PathId> path_of;
  Draws draws(4);
  for (int k = 0; k < 3000; ++k) {
    const NodeId worker{draws.below(12)};
    if (draws.once_in(3)) {
      tasks.remove(worker);
      path_of.erase(worker);
    } else {
      const std::int32_t path = draws.below(kPaths);
      tasks.set(worker, given(path, k));
      path_of[worker] = PathId{path};
    }
    REQUIRE((tasks.find(worker) != nullptr) == path_of.contains(worker));
    for (std::int32_t p = 0; p < kPaths; ++p) {
      std::set<NodeId> at_path;
      for (const auto& [node, path] : path_of) {
        if (path == PathId{p}) at_path.insert(node);
      }
      REQUIRE(tasks.of(PathId{p}) == at_path);
    }
    REQUIRE(tasks.all().size() == path_of.size());
  }
}

}  // namespace dipaco::testing
