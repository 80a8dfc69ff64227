#include "core/queue/task_queue.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// Where the last tasks of paths are.
struct End {
  std::int32_t outer_steps;
  const TaskLengths& lengths;
};

/// Says that the path's last task has begun, if its next one is known to be its last.
void note_last(RestingPaths& resting, const PathTable& paths, PathId id, const End& end) {
  const bool last = number(paths.step_after(id)) >= end.outer_steps || end.lengths.is_last(paths.at(id));
  if (resting.any_may() && last) resting.last_begins(id);
}

}  // namespace

TaskQueue::TaskQueue(const Topology& topology, std::int32_t outer_steps, const SyncPolicy& policy,
                     PathTable::NextTrained next_trained, TaskLengths lengths)
    : topology_(topology),
      outer_steps_(outer_steps),
      lengths_(lengths),
      paths_(topology.paths(), std::move(next_trained)),
      modules_(topology, policy),
      resting_(topology.paths(), policy.start->grace()) {
  dispatch_.plan_by(nullptr, {.lengths = lengths});
}

std::int32_t TaskQueue::lowest_version() const {
  const std::int32_t of_paths = paths_.lowest_version();
  return std::min(of_paths, modules_.rounds_done().value_or(of_paths));
}

void TaskQueue::put_in_queue(PathId id) {
  note_last(resting_, paths_, id, {outer_steps_, lengths_});
  path(id).phase = PathEntry::Phase::queued;
  dispatch_.put_in(id, path(id));
}

void TaskQueue::restore(PathId id, const PathEntry& entry, bool running) {
  paths_.restore(id, entry, running);
  if (running) note_last(resting_, paths_, id, {outer_steps_, lengths_});
}

void TaskQueue::start(Seconds now) {
  for (std::int32_t p = 0; p < topology_.paths(); ++p) {
    paths_.begin_next(PathId{p});
    advance(PathId{p}, now);
  }
}

bool TaskQueue::advance(PathId id, Seconds now) {
  PathEntry& entry = path(id);
  if (entry.phase != PathEntry::Phase::waiting || !missing_modules(id).empty()) return false;
  if (resting_.contains(id)) return false;
  entry.since = now;
  if (number(entry.outer_step) == outer_steps_ || lengths_.all_done(entry)) {
    resting_.last_begins(id);
    paths_.end(id);
    return false;
  }
  if (resting_.any_may() && entry.base.empty()) {
    resting_.add(id, now);
    return false;
  }
  put_in_queue(id);
  return true;
}

std::vector<PathId> TaskQueue::begin_rested(Seconds now) {
  std::vector<PathId> begun = resting_.begin(now);
  for (const PathId id : begun) {
    path(id).since = now;
    path(id).base = modules_.newest(id);
    put_in_queue(id);
  }
  return begun;
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
  const PathEntry& entry = path(id);
  if (version <= entry.version) return false;
  check(version == version_after(entry.outer_step), "paths are committed task by task");
  if (entry.phase == PathEntry::Phase::queued) dispatch_.take_out(id, entry);
  paths_.committed(id, site, now);
  return true;
}

void TaskQueue::requeue(PathId id, Seconds now) {
  PathEntry& entry = path(id);
  check(entry.phase == PathEntry::Phase::in_question, "a task is queued again once its store has answered");
  entry.since = now;
  put_in_queue(id);
}

std::optional<Assignment> TaskQueue::assign(Seconds now, const std::function<bool(PathId)>& reachable) {
  OpenContributors open(topology_, paths_);
  const auto next = dispatch_.next(paths_, reachable, now, &open);
  if (!next) return next;
  const auto& fleet = dispatch_.reserve().fleet();
  const std::int32_t length = fleet.steps_of(fleet.workers().at(next->worker), path(next->path));
  paths_.run_on(next->path, next->worker, {modules_.newest(next->path), length}, now);
  note_last(resting_, paths_, next->path, {outer_steps_, lengths_});
  return next;
}

}  // namespace dipaco
