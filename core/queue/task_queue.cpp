#include "core/queue/task_queue.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

TaskQueue::TaskQueue(const Topology& topology, std::int32_t outer_steps, const SyncPolicy& policy,
                     std::function<std::int32_t(PathId, std::int32_t)> next_trained)
    : topology_(topology),
      outer_steps_(outer_steps),
      next_trained_(std::move(next_trained)),
      held_from_(outer_steps),
      paths_(static_cast<std::size_t>(topology.paths())),
      modules_(topology, policy) {
  next_steps_.add(0, static_cast<std::int64_t>(paths_.size()));
}

void TaskQueue::begin_next(PathId id) {
  PathEntry& entry = path(id);
  const std::int32_t next = next_trained_(id, entry.version);
  next_steps_.move(entry.outer_step, next);
  entry.outer_step = next;
}

std::int32_t TaskQueue::lowest_version() const {
  const std::int32_t of_paths = next_steps_.least();
  return std::min(of_paths, modules_.rounds_done().value_or(of_paths));
}

void TaskQueue::set_worker(PathId id, NodeId worker) {
  NodeId& last = path(id).worker;
  if (const auto paths = paths_of_.find(last); paths != paths_of_.end()) {
    paths->second.erase(id);
    if (paths->second.empty()) paths_of_.erase(paths);
  }
  last = worker;
  paths_of_[worker].insert(id);
}

const std::set<PathId>& TaskQueue::paths_of(NodeId worker) const {
  static const std::set<PathId> kNone;
  const auto found = paths_of_.find(worker);
  return found == paths_of_.end() ? kNone : found->second;
}

void TaskQueue::put_in_queue(PathId id) {
  PathEntry& entry = path(id);
  entry.phase = PathEntry::Phase::queued;
  queued_.add({entry.outer_step, id}, entry.worker);
}

void TaskQueue::take_from_queue(PathId id) { queued_.remove({path(id).outer_step, id}, path(id).worker); }

void TaskQueue::set_free(NodeId worker, bool free) {
  if (workers_.set_free(worker, free)) queued_.worker_is(free, worker);
}

void TaskQueue::start(Seconds now) {
  for (std::int32_t p = 0; p < topology_.paths(); ++p) {
    begin_next(PathId{p});
    advance(PathId{p}, now);
  }
}

void TaskQueue::restore(PathId id, const PathEntry& entry, bool running) {
  const std::int32_t before = path(id).outer_step;
  path(id) = entry;
  path(id).outer_step = before;
  begin_next(id);
  path(id).worker = NodeId{-1};
  set_worker(id, entry.worker);
  path(id).phase = running ? PathEntry::Phase::running : PathEntry::Phase::waiting;
  for (std::int32_t step = next_trained_(id, 0); step < entry.version; step = next_trained_(id, step + 1)) {
    ++committed_tasks_;
  }
}

bool TaskQueue::advance(PathId id, Seconds now) {
  PathEntry& entry = path(id);
  if (entry.phase != PathEntry::Phase::waiting || !missing_modules(id).empty()) return false;
  entry.since = now;
  if (entry.outer_step == outer_steps_) {
    entry.phase = PathEntry::Phase::done;
    ++done_;
    return false;
  }
  put_in_queue(id);
  return true;
}

std::vector<PathId> TaskQueue::module_ready(ModuleId module, Version version, const std::vector<SettledPath>& settled,
                                            Seconds now) {
  std::vector<PathId> queued;
  if (!modules_.ready(module, version, settled)) return queued;
  for (const PathId id : topology_.paths_through(module)) {
    if (advance(id, now)) queued.push_back(id);
  }
  return queued;
}

bool TaskQueue::committed(PathId id, std::int32_t version, SiteId site, Seconds now) {
  PathEntry& entry = path(id);
  if (version <= entry.version) return false;
  check(version == entry.outer_step + 1, "paths are committed task by task");
  if (entry.phase == PathEntry::Phase::queued) take_from_queue(id);
  entry.version = version;
  begin_next(id);
  entry.inner_steps = 0;
  entry.epoch = 0;
  entry.site = site;
  entry.asked.clear();
  entry.refused.clear();
  entry.spoiled_by.clear();
  entry.state_base = std::exchange(entry.base, {});
  entry.phase = PathEntry::Phase::waiting;
  entry.since = now;
  ++committed_tasks_;
  return true;
}

void TaskQueue::handed_back(PathId id, std::int32_t inner_steps, SiteId site) {
  PathEntry& entry = path(id);
  if (inner_steps <= entry.inner_steps) return;
  entry.inner_steps = inner_steps;
  entry.site = site;
}

Epoch TaskQueue::question(PathId id, Seconds now) {
  PathEntry& entry = path(id);
  check(entry.phase == PathEntry::Phase::running, "only a running attempt is in question");
  entry.phase = PathEntry::Phase::in_question;
  entry.asked.clear();
  entry.answered = false;
  entry.since = now;
  return entry.epoch + 1;
}

bool TaskQueue::refused(PathId id, Epoch epoch, NodeId worker) {
  path(id).spoiled_by.insert(worker);
  return path(id).refused.insert(epoch).second;
}

/// Whom the path's task may go to now: one that has spoiled it only where all have.
std::optional<NodeId> TaskQueue::worker_for(const PathEntry& entry) const {
  static const std::set<NodeId> kNobody;
  const auto& but = workers_.all_among(entry.spoiled_by) ? kNobody : entry.spoiled_by;
  if (workers_.is_free(entry.worker) && !but.contains(entry.worker)) return entry.worker;
  return workers_.nearest(entry.site, but);
}

void TaskQueue::requeue(PathId id, Seconds now) {
  PathEntry& entry = path(id);
  check(entry.phase == PathEntry::Phase::in_question, "a task is queued again once its store has answered");
  entry.since = now;
  put_in_queue(id);
}

void TaskQueue::worker_up(NodeId node, SiteId site, double speed, bool idle) {
  workers_.up(node, site, speed, idle);
  queued_.worker_is(idle, node);
}

void TaskQueue::worker_free(NodeId node) { set_free(node, true); }

void TaskQueue::worker_gone(NodeId node) {
  workers_.gone(node);
  queued_.worker_is(false, node);
}

std::optional<Assignment> TaskQueue::assign(Seconds now, const std::function<bool(PathId)>& reachable) {
  if (queued_.empty() || !workers_.any_free()) return std::nullopt;
  const auto chosen = queued_.choose(
      held_from_, [&](PathId id) { return reachable(id) && (path(id).spoiled_by.empty() || worker_for(path(id))); });
  if (!chosen) return std::nullopt;
  const PathId id = chosen->second;
  PathEntry& entry = path(id);
  const NodeId worker = *worker_for(entry);
  take_from_queue(id);
  set_free(worker, false);
  set_worker(id, worker);
  entry.phase = PathEntry::Phase::running;
  if (entry.base.empty()) entry.base = modules_.newest(id);
  entry.first_inner_step = entry.inner_steps;
  entry.worker_done = false;
  entry.since = now;
  ++entry.epoch;
  return Assignment{id, worker};
}

std::optional<NodeId> TaskQueue::take_worker() {
  const auto fastest = workers_.fastest();
  if (fastest) set_free(*fastest, false);
  return fastest;
}

}  // namespace dipaco
