#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/queue/task_queue.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

constexpr std::int32_t kOuterSteps = 6;
constexpr std::int32_t kNodes = 14;
constexpr std::int32_t kSites = 3;
using Choice = std::optional<std::pair<PathId, NodeId>>;

/// Not every path trains at every outer step.
OuterStep next_drawn(PathId path, OuterStep step) {
  while (number(step) < kOuterSteps && (index(path) + number(step)) % 4 == 0) step = next(step);
  return step;
}

/// A task queue that is put through drawn operations, and what it must say by walks over all paths and workers.
class DrivenQueue {
 public:
  DrivenQueue(const Topology& topology, std::uint64_t seed)
      : topology_(topology), draws_(seed), queue_(topology, kOuterSteps, sync_policies().front(), next_drawn) {
    queue_.start(Seconds(0));
  }

  /// One operation.
  void step() {
    switch (draws_.below(9)) {
      case 0:
        return worker_comes_or_goes();
      case 1:
        return worker_gets_free();
      case 2:
        return end_an_attempt(path_at_work());
      case 3:
        return module_is_ready();
      case 4:
        return take_worker();
      case 5:
        held_from_ = OuterStep{draws_.below(kOuterSteps + 1)};
        return queue_.dispatch().hold_from(held_from_);
      default:
        return assign();
    }
  }
  void check_against_walk() {
    std::int32_t lowest = kOuterSteps;
    std::map<NodeId, std::set<PathId>> paths_of;
    for (std::int32_t p = 0; p < topology_.paths(); ++p) {
      const PathEntry& entry = queue_.path(PathId{p});
      lowest = std::min(lowest, number(entry.outer_step));
      paths_of[entry.attempt.worker].insert(PathId{p});
    }
    for (const ModuleId module : topology_.modules()) {
      if (!topology_.path_specific(module)) lowest = std::min(lowest, number(queue_.modules().version(module)));
    }
    REQUIRE(queue_.lowest_version() == lowest);
    for (std::int32_t node = 0; node < kNodes; ++node) {
      REQUIRE(queue_.paths().of_worker(NodeId{node}) == paths_of[NodeId{node}]);
    }
  }
  bool all_done() const { return queue_.paths().all_done(); }
  int assigned() const { return assigned_; }

 private:
  struct Worker {
    SiteId site{};
    double speed = 0;
    bool free = false;
  };
  using Tasks = std::set<std::pair<OuterStep, PathId>>;

  Tasks queued() const {
    Tasks tasks;
    for (std::int32_t p = 0; p < topology_.paths(); ++p) {
      const PathEntry& entry = queue_.path(PathId{p});
      const bool held = entry.outer_step >= held_from_;
      if (entry.phase == PathEntry::Phase::queued && !held) tasks.emplace(entry.outer_step, PathId{p});
    }
    return tasks;
  }
  bool is_free(NodeId node) const { return workers_.contains(node) && workers_.at(node).free; }
  /// The free worker that ranks highest, of equals the first.
  template <class Rank>
  std::optional<NodeId> best_worker(const Rank& rank) const {
    std::optional<NodeId> best;
    for (const auto& [node, worker] : workers_) {
      if (worker.free && (!best || rank(workers_.at(*best)) < rank(worker))) best = node;
    }
    return best;
  }
  Choice walk(const std::function<bool(PathId)>& reachable) const {
    const Tasks tasks = queued();
    const auto at_its_worker = [&](const auto& task) {
      return is_free(queue_.path(task.second).attempt.worker) && reachable(task.second);
    };
    auto chosen = std::find_if(tasks.begin(), tasks.end(), at_its_worker);
    if (chosen == tasks.end()) {
      chosen = std::find_if(tasks.begin(), tasks.end(), [&](const auto& task) { return reachable(task.second); });
    }
    if (chosen == tasks.end()) return std::nullopt;
    const PathEntry& entry = queue_.path(chosen->second);
    if (is_free(entry.attempt.worker)) return std::pair(chosen->second, entry.attempt.worker);
    const auto worker = best_worker([&](const Worker& w) { return std::pair(w.site == entry.site, w.speed); });
    return worker ? Choice(std::pair(chosen->second, *worker)) : std::nullopt;
  }

  void assign() {
    const std::int32_t away = draws_.below(4);  // 0: every path can be had; else one of four cannot
    const auto reachable = [&](PathId path) { return away == 0 || index(path) % 4 != away; };
    const Choice expected = walk(reachable);
    const auto assignment = queue_.assign(Seconds(1), reachable);
    REQUIRE(assignment.has_value() == expected.has_value());
    if (!assignment) return;
    REQUIRE(std::pair(assignment->path, assignment->worker) == *expected);
    workers_.at(assignment->worker).free = false;
    ++assigned_;
  }
  void take_worker() {
    if (!draws_.once_in(4)) return;
    const auto expected = best_worker([](const Worker& worker) { return worker.speed; });
    REQUIRE(queue_.dispatch().take_worker() == expected);
    if (expected) workers_.at(*expected).free = false;
  }
  void worker_comes_or_goes() {
    const NodeId node{draws_.below(kNodes)};
    if (draws_.once_in(4)) {
      queue_.dispatch().worker_gone(node);
      workers_.erase(node);
    } else {
      const Worker worker{SiteId{draws_.below(kSites)}, 1.0 + draws_.below(2), draws_.once_in(2)};
      queue_.dispatch().worker_up(node, worker.site, worker.speed, worker.free);
      workers_[node] = worker;
    }
  }
  void worker_gets_free() {
    const NodeId node{draws_.below(kNodes)};
    queue_.dispatch().worker_free(node);
    if (workers_.contains(node)) workers_.at(node).free = true;
  }
  /// The first from a drawn one on that has a task: that is queued, runs or is in question.
  PathId path_at_work() {
    const std::int32_t first = draws_.below(topology_.paths());
    for (std::int32_t k = 0; k < topology_.paths(); ++k) {
      const PathId path{(first + k) % topology_.paths()};
      const PathEntry::Phase phase = queue_.path(path).phase;
      if (phase != PathEntry::Phase::waiting && phase != PathEntry::Phase::done) return path;
    }
    return PathId{first};
  }
  /// By a commit, by a part that is handed back, or by a loss. What is queued may be committed as well: by an attempt
  /// that was thought to be lost.
  void end_an_attempt(PathId path) {
    const PathEntry& entry = queue_.path(path);
    const SiteId site{draws_.below(kSites)};
    const PathEntry::Phase phase = entry.phase;
    if (phase == PathEntry::Phase::waiting || phase == PathEntry::Phase::done) return;
    if (draws_.once_in(3)) queue_.path(path).note_handed_back(draws_.below(5), site);
    if (draws_.once_in(4)) {
      queue_.committed(path, version_after(entry.outer_step), site, Seconds(2));
      queue_.advance(path, Seconds(2));
    } else if (phase == PathEntry::Phase::running) {
      queue_.path(path).question(Seconds(2));
    } else if (phase == PathEntry::Phase::in_question) {
      queue_.requeue(path, Seconds(2));
    }
  }
  /// The one that is furthest back, to the lowest next task of a path through it.
  void module_is_ready() {
    for (const ModuleId module : topology_.modules()) {
      if (topology_.path_specific(module)) continue;
      std::int32_t version = kOuterSteps;
      for (const PathId path : topology_.paths_through(module)) {
        version = std::min(version, number(queue_.path(path).outer_step));
      }
      if (draws_.once_in(3)) queue_.module_ready(module, Version{version}, {}, Seconds(3));
    }
  }

  const Topology& topology_;
  Draws draws_;
  TaskQueue queue_;
  std::map<NodeId, Worker> workers_;
  OuterStep held_from_{kOuterSteps};
  int assigned_ = 0;
};

}  // namespace

TEST_CASE("paths and workers are chosen as by a walk over all of them, to the end of a run", "[queue]") {
  const Topology topology = make_topology({.levels = "5x5"}, {.blocks = 2}, ".");
#ifdef DIPACO_SANITIZED
  constexpr int kRuns = 8;  // 20 take 80 s there, and 3 s elsewhere
#else
  constexpr int kRuns = 20;
#endif
  int assigned = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    DrivenQueue driven(topology, seed);
    for (int k = 0; k < 20'000 && !driven.all_done(); ++k) {
      driven.step();
      driven.check_against_walk();
    }
    INFO("seed " << seed);
    CHECK(driven.all_done());
    assigned += driven.assigned();
  }
  CHECK(assigned > kRuns * 100);  // 25 paths a run that train at 4 outer steps at least, some of them more than once
}

}  // namespace dipaco::testing
