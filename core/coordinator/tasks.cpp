#include "core/coordinator/tasks.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {
Tasks::Tasks(RunState& run, const Concerned& to)
    : run_(run),
      to_(to),
      replication_(run, to.evaluations),
      assignments_(run, leases_, to.evaluations),
      commits_(run, {assignments_, replication_, to.doubts, to.refusals, to.diagnosis}),
      questions_(run, leases_, assignments_, commits_) {}

void Tasks::start() {
  const std::int32_t paths = run_.plan.topology.paths();
  for (std::int32_t p = 0; p < paths; ++p) run_.note_path(PathId{p});
  run_.queue.start(run_.now());
  for (std::int32_t p = 0; p < paths; ++p) {
    if (run_.queue.path(PathId{p}).phase == PathEntry::Phase::queued) assignments_.queued(PathId{p});
  }
}

void Tasks::restore(bool run_goes_on) {
  for (const auto& [id, path] : run_.ledger.state().paths) restore(id, path, run_goes_on);
  run_.queue.start(run_.now());
  to_.refusals.restore();
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) {
    const PathId id{p};
    const PathEntry& path = run_.queue.path(id);
    for (std::int32_t v = run_.retention.released().version + 1; v < path.version; ++v) to_.evaluations.want(id, v);
    to_.evaluations.want_reached(id);
    to_.doubts.doubt_missing(id);
  }
  to_.evaluations.note_end();
}

void Tasks::restore(PathId id, const PathRecord& record, bool run_goes_on) {
  PathEntry entry;
  entry.version = record.version;
  entry.state_epoch = record.state_epoch;
  entry.inner_steps = entry.first_inner_step = record.inner_steps;
  entry.epoch = record.epoch;
  entry.site = record.site;
  entry.worker = run_goes_on ? record.worker : NodeId{-1};
  entry.to_stores = record.to_stores;
  entry.base = record.base;
  entry.state_base = record.state_base;
  entry.since = run_.now();
  run_.losses.set(id, record.loss_sum / static_cast<double>(run_.plan.config.inner.steps));
  const bool attempted = record.epoch > 0;
  run_.queue.restore(id, entry, attempted);
  if (attempted && run_goes_on) assignments_.lease(id);
  if (attempted && !run_goes_on) questions_.question(id);
}

void Tasks::module_ready(ModuleId module) {
  for (const PathId path : run_.plan.topology.paths_through(module)) commits_.commit_if_complete(path);
}

void Tasks::ended(NodeId worker, const TaskDone& message) {
  const PathId id = message.id.path;
  PathEntry& path = run_.queue.path(id);
  note_step_time(worker, message);
  // It may have been committed all the same, by one store of several: then nobody has sent its outer gradients.
  if (!message.committed && path.version == message.id.outer_step + 1) to_.doubts.doubt_missing(id);
  const GivenTask* const given = run_.given.find(worker);
  if (given == nullptr || given->id != message.id || given->epoch != message.epoch) return;
  run_.given.remove(worker);
  replication_.replicate(id);
  if (!message.leaving) run_.queue.dispatch().worker_free(worker);
  const bool mine = path.phase == PathEntry::Phase::running && path.worker == worker &&
                    path.outer_step == message.id.outer_step && path.epoch == message.epoch;
  if (!mine) return;
  path.worker_done = true;
  message.committed ? commits_.commit_if_complete(id) : questions_.question(id);
}

void Tasks::note_step_time(NodeId worker, const TaskDone& message) {
  if (message.inner_steps <= 0 || message.computing <= 0) return;
  run_.step_times.add(worker, Seconds(message.computing / message.inner_steps));
  assignments_.lease_those_without();
}

void Tasks::worker_up(NodeId node, const Hello& hello) {
  for (const PathId id : run_.queue.paths().of_worker(node)) {
    const PathEntry& path = run_.queue.path(id);
    if (path.phase != PathEntry::Phase::running) continue;
    const bool at_it = hello.task == TaskId{id, path.outer_step} && hello.epoch == path.epoch;
    if (!at_it) {
      questions_.question(id);
      continue;
    }
    assignments_.lease(id);
    assignments_.send(id, true);
  }
  answer_worker(node, hello);
}

/// In any case, for one that had lost this coordinator.
void Tasks::answer_worker(NodeId node, const Hello& hello) {
  if (hello.task.path == PathId{-1}) {
    run_.given.remove(node);
    run_.send(node, Owners{});
  } else if (run_.given.find(node) == nullptr) {
    // One that is committed, or that another is at: only its end is awaited. Without stores it is void.
    const PathEntry& path = run_.queue.path(hello.task.path);
    const bool counts = path.version == hello.task.outer_step + 1 && path.state_epoch == hello.epoch;
    Task task{.id = hello.task, .epoch = hello.epoch, .again = true, .owners = run_.owners_of(hello.task.path)};
    const auto& holders = run_.holders.of(hello.task.path, path.version);
    if (counts) task.to_stores.assign(holders.begin(), holders.end());
    run_.given.set(node, {task.id, task.epoch, task.to_stores});
    run_.send(node, std::move(task));
  }
}

void Tasks::worker_lost(NodeId node) {
  run_.queue.dispatch().worker_gone(node);
  run_.step_times.forget(node);
  to_.doubts.maker_lost(node);
  if (const GivenTask* const given = run_.given.find(node)) {
    const PathId path = given->id.path;
    run_.given.remove(node);
    replication_.replicate(path);
  }
  for (const PathId path : run_.queue.paths().of_worker(node)) {
    if (run_.queue.path(path).phase == PathEntry::Phase::running) questions_.question(path);
    if (run_.queue.path(path).phase == PathEntry::Phase::waiting) to_.doubts.doubt_missing(path);
  }
}

void Tasks::store_up(NodeId node, const Hello& hello) {
  for (const HeldState& state : hello.states) state_at(node, state);
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) tell_store(node, PathId{p});
}

/// Tells a store that has come what is asked of the path, and the path's worker of the store.
void Tasks::tell_store(NodeId node, PathId id) {
  const PathEntry& path = run_.queue.path(id);
  const auto& to = path.to_stores;
  const bool concerned = path.concerns(node);
  if (path.phase == PathEntry::Phase::in_question && concerned) questions_.ask(id, node);
  // It was away when earlier attempts were given up: one of them may wake yet.
  const Epoch lowest = path.phase == PathEntry::Phase::queued ? path.epoch + 1 : path.epoch;
  if (path.phase != PathEntry::Phase::in_question && path.epoch > 0 && lowest > 1) {
    run_.send(node, QueryPath{id, path.outer_step, lowest});
  }
  assignments_.drop_lost_part(id);
  if (path.phase != PathEntry::Phase::running || !run_.members.contains(path.worker) || path.worker_done) return;
  const bool stranded = std::none_of(to.begin(), to.end(), [&](NodeId store) { return run_.members.contains(store); });
  if (concerned || stranded) assignments_.send(id, true);
}

void Tasks::store_lost(NodeId node) {
  run_.holders.gone(node);
  replication_.store_lost();
  for (const auto& [worker, task] : run_.given.all()) assignments_.spare(worker);
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) without_store(node, PathId{p});
}

/// What the path's task has had of the store it has no more.
void Tasks::without_store(NodeId node, PathId id) {
  const PathEntry& path = run_.queue.path(id);
  to_.doubts.doubt_missing(id);  // an executor may wait for this store
  if (path.phase == PathEntry::Phase::running && path.concerns(node)) {
    if (path.worker_done) {
      questions_.question(id);  // what the store has told of it may be lost
    } else if (run_.members.contains(path.worker)) {
      assignments_.send(id, true);
    }
  }
  assignments_.drop_lost_part(id);
  commits_.forget(id, node);
  questions_.store_lost(id, node);
  commits_.commit_if_complete(id);
}

}  // namespace dipaco
