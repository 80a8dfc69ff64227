#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/queue/dispatch.hpp"
#include "tests/queue/sites.hpp"

namespace dipaco::testing {

using Pairs = std::vector<std::pair<int, int>>;

inline TaskCost in_rounds() { return {.inner_step = 1, .lengths = TaskLengths(10), .state = Bytes{1000}}; }
inline TaskCost without_rounds(TaskLengths lengths = TaskLengths(10)) {
  TaskCost cost = in_rounds();
  cost.rounds = false;
  cost.lengths = lengths;
  return cost;
}

/// Paths whose tasks are given out by earliest_finish: of 10 inner steps each and in rounds, unless another cost says
/// otherwise.
class ScheduledPaths {
 public:
  explicit ScheduledPaths(std::int32_t paths, TaskCost cost = in_rounds())
      : paths_(paths, [](PathId /*path*/, OuterStep step) { return step; }) {
    dispatch.plan_by(std::make_shared<EarliestFinish>(), cost);
  }

  PathEntry& at(int path) { return paths_.at(PathId{path}); }
  void queue(int path) {
    at(path).phase = PathEntry::Phase::queued;
    dispatch.put_in(PathId{path}, at(path));
  }
  void queue_all() {
    for (std::int32_t p = 0; p < paths_.size(); ++p) queue(p);
  }
  /// A worker that needs so long for a task.
  void up(int node, double task, SiteId site = kEast) { dispatch.worker_up(NodeId{node}, site, 10 / task); }
  /// Who gets which path at this time, in order.
  Pairs out(double now) {
    Pairs pairs;
    const auto any = [this](PathId /*path*/) { return ++asked > 0; };
    while (const auto next = dispatch.next(paths_, any, Seconds(now))) {
      paths_.run_on(next->path, next->worker, {}, Seconds(now));
      pairs.emplace_back(index(next->path), index(next->worker));
    }
    return pairs;
  }
  std::vector<HeldBack> held_back(double now) { return dispatch.held_back(paths_, Seconds(now)); }
  /// The worker has done the path's task; its state is there.
  void done(int path, int node, SiteId site = kEast, double now = 0) {
    paths_.committed(PathId{path}, site, Seconds(now));
    dispatch.worker_free(NodeId{node});
  }

  Dispatch dispatch;
  int asked = 0;  ///< how often it was asked whether a task can be had

 private:
  PathTable paths_;
};

}  // namespace dipaco::testing
