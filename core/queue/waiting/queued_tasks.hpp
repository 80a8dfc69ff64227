#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/ids.hpp"

namespace dipaco {

/// Tasks that wait for a worker, in the order in which they go out. Pure logic: it is told which workers are free.
class QueuedTasks {
 public:
  using Task = std::pair<OuterStep, PathId>;

  /// @param last_worker  who ran the path last; -1: nobody
  void add(Task task, NodeId last_worker);
  void remove(Task task, NodeId last_worker);
  void worker_is(bool free, NodeId worker);

  bool empty() const { return all_.empty(); }
  /// The first outer step from this one on of which a task waits; nullopt: there is none.
  std::optional<OuterStep> step_from(OuterStep outer_step) const;
  /// The first task below `end` that can be had and whose path's last worker is free, so that no other path takes that
  /// worker from it; else the first that can be had. But one of an earlier outer step goes before, if it can be had at
  /// home: by a free worker at the site of its state. Takes as long however many tasks there are, where all can be had.
  template <class CanBeHad, class AtHome>
  std::optional<Task> choose(OuterStep end, const CanBeHad& can_be_had, const AtHome& at_home) const;
  /// Of the tasks of the same outer step whose paths this worker ran last, and which are `alike`, the one of the least
  /// `rank`, the first of several; `task` where the worker did not run its path last.
  template <class Alike, class Rank>
  PathId least_of(Task task, NodeId last_worker, const Alike& alike, const Rank& rank) const;

 private:
  using Tasks = std::set<Task>;
  template <class CanBeHad>
  static std::optional<Task> first(const Tasks& tasks, OuterStep end, const CanBeHad& can_be_had);
  void note_first(NodeId worker);

  Tasks all_;
  std::map<NodeId, Tasks> of_worker_;           ///< by the path's last worker
  std::set<NodeId> free_;                       ///< of those workers
  std::set<std::pair<Task, NodeId>> by_first_;  ///< free workers by the first of their tasks
  std::map<NodeId, Task> first_;                ///< the same by worker
};

template <class CanBeHad>
std::optional<QueuedTasks::Task> QueuedTasks::first(const Tasks& tasks, OuterStep end, const CanBeHad& can_be_had) {
  for (const Task& task : tasks) {
    if (task.first >= end) break;
    if (can_be_had(task.second)) return task;
  }
  return std::nullopt;
}

template <class CanBeHad, class AtHome>
std::optional<QueuedTasks::Task> QueuedTasks::choose(OuterStep end, const CanBeHad& can_be_had,
                                                     const AtHome& at_home) const {
  std::optional<Task> best;
  for (const auto& [task, worker] : by_first_) {
    if (task.first >= end || (best && *best < task)) break;
    const auto mine = first(of_worker_.at(worker), end, can_be_had);
    if (mine && (!best || *mine < *best)) best = mine;
  }
  if (!best) return first(all_, end, can_be_had);
  const auto earlier = first(all_, best->first, at_home);
  return earlier ? earlier : best;
}

template <class Alike, class Rank>
PathId QueuedTasks::least_of(Task task, NodeId last_worker, const Alike& alike, const Rank& rank) const {
  const auto mine = of_worker_.find(last_worker);
  if (mine == of_worker_.end() || !mine->second.contains(task)) return task.second;
  using Ranked = std::pair<decltype(rank(task.second)), PathId>;
  std::optional<Ranked> least;  // nothing is ranked where there is one task alone
  for (auto other = mine->second.lower_bound({task.first, PathId{0}}); other != mine->second.end(); ++other) {
    if (other->first != task.first) break;
    if (other->second == task.second || !alike(other->second)) continue;
    if (!least) least = Ranked(rank(task.second), task.second);
    least = std::min(*least, Ranked(rank(other->second), other->second));
  }
  return least ? least->second : task.second;
}

}  // namespace dipaco
