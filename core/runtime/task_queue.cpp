#include "core/runtime/task_queue.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

TaskQueue::TaskQueue(const Topology& topology, std::int32_t outer_steps,
                     std::function<std::int32_t(PathId, std::int32_t)> next_trained)
    : topology_(topology),
      outer_steps_(outer_steps),
      next_trained_(std::move(next_trained)),
      paths_(static_cast<std::size_t>(topology.paths())) {
  for (const ModuleId module : topology.modules()) {
    if (!topology.path_specific(module)) modules_[module] = 0;
  }
}

void TaskQueue::start(Seconds now) {
  for (std::int32_t p = 0; p < topology_.paths(); ++p) {
    PathEntry& entry = path(PathId{p});
    entry.outer_step = next_trained_(PathId{p}, entry.version);
    advance(PathId{p}, now);
  }
}

void TaskQueue::restore(PathId id, const PathEntry& entry, bool running) {
  path(id) = entry;
  path(id).outer_step = next_trained_(id, entry.version);
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
  entry.phase = PathEntry::Phase::queued;
  queued_.emplace(entry.outer_step, id);
  return true;
}

std::vector<PathId> TaskQueue::module_ready(ModuleId module, std::int32_t version, Seconds now) {
  std::int32_t& known = modules_.at(module);
  std::vector<PathId> queued;
  if (version <= known) return queued;
  known = version;
  for (const PathId id : topology_.paths_through(module)) {
    if (advance(id, now)) queued.push_back(id);
  }
  return queued;
}

bool TaskQueue::committed(PathId id, std::int32_t version, SiteId site, Seconds now) {
  PathEntry& entry = path(id);
  if (version <= entry.version) return false;
  check(version == entry.outer_step + 1, "paths are committed task by task");
  if (entry.phase == PathEntry::Phase::queued) queued_.erase({entry.outer_step, id});
  entry.version = version;
  entry.outer_step = next_trained_(id, version);
  entry.inner_steps = 0;
  entry.epoch = 0;
  entry.site = site;
  entry.asked.clear();
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

void TaskQueue::requeue(PathId id, Seconds now) {
  PathEntry& entry = path(id);
  check(entry.phase == PathEntry::Phase::in_question, "a task is queued again once its store has answered");
  entry.phase = PathEntry::Phase::queued;
  entry.since = now;
  queued_.emplace(entry.outer_step, id);
}

void TaskQueue::worker_up(NodeId node, SiteId site, double speed, bool idle) {
  workers_[node] = {site, speed, idle};
  idle ? static_cast<void>(idle_.insert(node)) : static_cast<void>(idle_.erase(node));
}

void TaskQueue::worker_free(NodeId node) {
  const auto found = workers_.find(node);
  if (found == workers_.end()) return;  // it left in the meantime
  found->second.idle = true;
  idle_.insert(node);
}

void TaskQueue::worker_gone(NodeId node) {
  workers_.erase(node);
  idle_.erase(node);
}

std::optional<NodeId> TaskQueue::choose_worker(const PathEntry& entry) const {
  if (idle_.contains(entry.worker)) return entry.worker;
  std::optional<NodeId> best;
  const auto rank = [&](NodeId node) {
    const WorkerEntry& worker = workers_.at(node);
    return std::pair(worker.site == entry.site, worker.speed);
  };
  for (const NodeId node : idle_) {
    if (!best || rank(*best) < rank(node)) best = node;  // the first of equals
  }
  return best;
}

std::optional<Assignment> TaskQueue::assign(Seconds now, const std::function<bool(PathId)>& reachable) {
  if (queued_.empty() || idle_.empty()) return std::nullopt;
  // A path whose last worker is free goes first, so that no other path takes that worker from it.
  auto chosen = std::find_if(queued_.begin(), queued_.end(), [&](const auto& task) {
    return idle_.contains(path(task.second).worker) && reachable(task.second);
  });
  if (chosen == queued_.end()) {
    chosen = std::find_if(queued_.begin(), queued_.end(), [&](const auto& task) { return reachable(task.second); });
  }
  if (chosen == queued_.end()) return std::nullopt;
  const PathId id = chosen->second;
  PathEntry& entry = path(id);
  const NodeId worker = *choose_worker(entry);
  queued_.erase(chosen);
  idle_.erase(worker);
  workers_.at(worker).idle = false;
  entry.phase = PathEntry::Phase::running;
  entry.worker = worker;
  entry.first_inner_step = entry.inner_steps;
  entry.worker_done = false;
  entry.since = now;
  ++entry.epoch;
  return Assignment{id, worker};
}

std::optional<NodeId> TaskQueue::take_worker() {
  if (idle_.empty()) return std::nullopt;
  const NodeId fastest = *std::max_element(
      idle_.begin(), idle_.end(), [&](NodeId a, NodeId b) { return workers_.at(a).speed < workers_.at(b).speed; });
  idle_.erase(fastest);
  workers_.at(fastest).idle = false;
  return fastest;
}

std::int32_t TaskQueue::module_version(ModuleId module) const { return modules_.at(module); }

std::vector<ModuleId> TaskQueue::missing_modules(PathId id) const {
  std::vector<ModuleId> missing;
  for (std::int32_t l = 0; l < topology_.levels(); ++l) {
    const ModuleId module = topology_.module(id, l);
    const auto found = modules_.find(module);
    if (found != modules_.end() && found->second < path(id).outer_step) missing.push_back(module);
  }
  return missing;
}

std::int32_t TaskQueue::lowest_version() const {
  std::int32_t lowest = outer_steps_;
  for (const PathEntry& entry : paths_) lowest = std::min(lowest, entry.outer_step);
  for (const auto& [module, version] : modules_) lowest = std::min(lowest, version);
  return lowest;
}

}  // namespace dipaco
