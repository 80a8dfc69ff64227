#include "core/queue/path_table.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

PathTable::PathTable(std::int32_t paths, NextTrained next_trained)
    : next_trained_(std::move(next_trained)), entries_(static_cast<std::size_t>(paths)) {
  next_steps_.add(OuterStep{0}, paths);
}

const std::set<PathId>& PathTable::of_worker(NodeId worker) const {
  static const std::set<PathId> kNone;
  const auto found = of_worker_.find(worker);
  return found == of_worker_.end() ? kNone : found->second;
}

void PathTable::set_worker(PathId id, NodeId worker) {
  NodeId& last = at(id).attempt.worker;
  if (const auto paths = of_worker_.find(last); paths != of_worker_.end()) {
    paths->second.erase(id);
    if (paths->second.empty()) of_worker_.erase(paths);
  }
  last = worker;
  of_worker_[worker].insert(id);
}

void PathTable::begin_next(PathId id) {
  PathEntry& entry = at(id);
  const OuterStep next = next_trained_(id, OuterStep{entry.version});
  next_steps_.move(entry.outer_step, next);
  entry.outer_step = next;
}

void PathTable::restore(PathId id, const PathEntry& entry, bool running) {
  const OuterStep before = at(id).outer_step;
  at(id) = entry;
  at(id).outer_step = before;
  begin_next(id);
  at(id).attempt.worker = NodeId{-1};
  set_worker(id, entry.attempt.worker);
  at(id).phase = running ? PathEntry::Phase::running : PathEntry::Phase::waiting;
  trained_ += entry.trained;
  const OuterStep end{entry.version};
  for (OuterStep step = next_trained_(id, OuterStep{0}); step < end; step = next_trained_(id, next(step))) {
    ++committed_tasks_;
  }
}

void PathTable::run_on(PathId id, NodeId worker, FirstAttempt first, Seconds now) {
  set_worker(id, worker);
  PathEntry& entry = at(id);
  entry.phase = PathEntry::Phase::running;
  if (entry.base.empty()) entry.base = std::move(first.base);
  if (entry.length == 0) entry.length = first.length;
  entry.attempt = {.worker = worker, .epoch = ++entry.last_epoch, .first_inner_step = entry.inner_steps, .since = now};
  entry.since = now;
}

void PathTable::run_beside(PathId id, NodeId worker, Seconds now) {
  PathEntry& entry = at(id);
  check(entry.phase == PathEntry::Phase::running && !entry.backup, "a running task is given to a second worker");
  entry.backup = {.worker = worker, .epoch = ++entry.last_epoch, .first_inner_step = entry.inner_steps, .since = now};
}

void PathTable::take_over(PathId id) {
  PathEntry& entry = at(id);
  check(entry.backup.has_value(), "there is an attempt that can take over");
  set_worker(id, entry.backup->worker);
  entry.attempt = *std::exchange(entry.backup, std::nullopt);
}

void PathTable::committed(PathId id, SiteId site, Seconds now) {
  PathEntry& entry = at(id);
  entry.version = version_after(entry.outer_step);
  begin_next(id);
  entry.inner_steps = 0;
  entry.trained += entry.length;
  trained_ += entry.length;
  entry.state_length = std::exchange(entry.length, 0);
  entry.attempt.epoch = entry.last_epoch = 0;
  entry.backup.reset();
  entry.site = site;
  entry.asked.clear();
  entry.refused.clear();
  entry.spoiled_by.clear();
  entry.state_base = std::exchange(entry.base, {});
  entry.phase = PathEntry::Phase::waiting;
  entry.since = now;
  ++committed_tasks_;
}

void PathTable::end(PathId id) {
  at(id).phase = PathEntry::Phase::done;
  ++done_;
}

}  // namespace dipaco
