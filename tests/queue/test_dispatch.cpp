#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "core/queue/dispatch.hpp"

namespace dipaco {
namespace {

constexpr SiteId kHere{0};
constexpr SiteId kThere{1};

/// Paths at outer step 0, all queued; they go out where the dispatch says so.
class QueuedPaths {
 public:
  explicit QueuedPaths(std::int32_t paths) : paths_(paths, [](PathId /*path*/, OuterStep step) { return step; }) {}

  PathEntry& at(int path) { return paths_.at(PathId{path}); }
  void queue_all() {
    for (std::int32_t p = 0; p < paths_.size(); ++p) dispatch.put_in(PathId{p}, at(p));
  }
  /// Who gets which path, in order, but for paths that cannot be had.
  std::vector<std::pair<int, int>> all_out(int but = -1) {
    std::vector<std::pair<int, int>> pairs;
    while (const auto next = dispatch.next(paths_, [but](PathId path) { return index(path) != but; })) {
      pairs.emplace_back(index(next->path), index(next->worker));
    }
    return pairs;
  }

  Dispatch dispatch;

 private:
  PathTable paths_;
};

}  // namespace

TEST_CASE("a task goes out once, to one worker, as long as there are free ones", "[queue]") {
  QueuedPaths queued(3);
  queued.queue_all();
  CHECK(queued.all_out().empty());
  queued.dispatch.worker_up(NodeId{10}, kHere, 1.0);
  queued.dispatch.worker_up(NodeId{11}, kHere, 2.0, false);
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{0, 10}});
  queued.dispatch.worker_free(NodeId{11});
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{1, 11}});
  queued.dispatch.worker_free(NodeId{10});
  queued.dispatch.worker_gone(NodeId{10});
  CHECK(queued.all_out().empty());
}

TEST_CASE("a path goes to its last worker, to the fastest of its state's site, to the fastest of any", "[queue]") {
  QueuedPaths queued(3);
  queued.at(0).attempt.worker = NodeId{10};
  queued.at(1).site = kThere;
  queued.at(2).site = kThere;
  queued.queue_all();
  queued.dispatch.worker_up(NodeId{10}, kHere, 1.0);
  queued.dispatch.worker_up(NodeId{11}, kHere, 9.0);
  queued.dispatch.worker_up(NodeId{12}, kThere, 2.0);
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{0, 10}, {1, 12}, {2, 11}});
}

TEST_CASE(
    "a path that stays goes to no other site than its state's, as long as there are workers, or all have spoilt it",
    "[queue]") {
  QueuedPaths queued(3);
  queued.dispatch.plan_by(nullptr, {.stays = true});
  queued.at(0).site = kThere;
  queued.at(1).site = kThere;
  queued.at(2).site = kHere;
  queued.dispatch.worker_up(NodeId{10}, kHere, 9.0);
  queued.dispatch.worker_up(NodeId{12}, kThere, 2.0);
  queued.queue_all();
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{0, 12}, {2, 10}});
  queued.dispatch.worker_free(NodeId{10});
  CHECK(queued.all_out().empty());  // its worker there is busy
  queued.dispatch.worker_gone(NodeId{12});
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{1, 10}});
}

TEST_CASE("a path that stays with its worker goes to no faster one while that is free", "[queue]") {
  for (const bool stays : {false, true}) {
    QueuedPaths queued(1);
    queued.dispatch.plan_by(nullptr, {.lengths = TaskLengths(10, 40), .stays = stays, .with_worker = stays});
    queued.at(0).site = kHere;
    queued.at(0).attempt.worker = NodeId{10};
    queued.dispatch.worker_up(NodeId{10}, kHere, 1.0);
    queued.dispatch.worker_up(NodeId{11}, kHere, 9.0);
    queued.queue_all();
    CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{0, stays ? 10 : 11}});
  }
}

TEST_CASE("a straggler keeps none of its paths, and gets a task only where nobody else is free in a moment",
          "[queue]") {
  QueuedPaths queued(2);
  queued.at(0).attempt.worker = NodeId{10};
  queued.queue_all();
  queued.dispatch.worker_up(NodeId{10}, kHere, 1.0);
  queued.dispatch.worker_up(NodeId{11}, kThere, 3.0);
  queued.dispatch.worker_up(NodeId{12}, kHere, 2.0, false);
  queued.dispatch.avoid(NodeId{10}, true);
  queued.dispatch.ends(NodeId{12});
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{0, 11}});
  queued.dispatch.worker_gone(NodeId{12});
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{1, 10}});
}

TEST_CASE("who has spoiled a task gets it only where all workers have", "[queue]") {
  QueuedPaths queued(1);
  queued.at(0).attempt.worker = NodeId{10};
  queued.at(0).spoiled_by = {NodeId{10}};
  queued.queue_all();
  queued.dispatch.worker_up(NodeId{10}, kHere, 9.0);
  queued.dispatch.worker_up(NodeId{11}, kHere, 1.0, false);
  CHECK(queued.all_out().empty());
  queued.dispatch.worker_gone(NodeId{11});
  CHECK(queued.dispatch.all_among({NodeId{10}}));
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{0, 10}});
}

TEST_CASE("what is held, cannot be had or was taken out does not go out", "[queue]") {
  QueuedPaths queued(4);
  queued.at(3).outer_step = OuterStep{1};
  queued.queue_all();
  queued.dispatch.hold_from(OuterStep{1});
  queued.dispatch.take_out(PathId{1}, queued.at(1));
  for (const int w : {10, 11, 12, 13}) queued.dispatch.worker_up(NodeId{w}, kHere, 1.0);
  CHECK(queued.all_out(2) == std::vector<std::pair<int, int>>{{0, 10}});
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{2, 11}});
  queued.dispatch.hold_from(OuterStep{2});
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{3, 12}});
}

TEST_CASE("an evaluation takes the fastest free worker, and no task gets that one then", "[queue]") {
  QueuedPaths queued(1);
  CHECK_FALSE(queued.dispatch.take_worker());
  queued.dispatch.worker_up(NodeId{10}, kHere, 1.0);
  queued.dispatch.worker_up(NodeId{11}, kThere, 2.0);
  CHECK(queued.dispatch.take_worker() == NodeId{11});
  queued.queue_all();
  CHECK(queued.all_out() == std::vector<std::pair<int, int>>{{0, 10}});
}

}  // namespace dipaco
