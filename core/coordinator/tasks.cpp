#include "core/coordinator/tasks.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/coordinator/known/reserves.hpp"
#include "core/coordinator/known/restored.hpp"

namespace dipaco {

Tasks::Tasks(RunState& run, const Concerned& to)
    : run_(run),
      to_(to),
      replication_(run, to.evaluations),
      assignments_(run, leases_, to.evaluations),
      backups_(run, assignments_),
      commits_(run, {assignments_, replication_, to.doubts, to.refusals, to.diagnosis}),
      questions_(run, leases_, {assignments_, commits_, backups_}),
      measurements_(run),
      stores_(run, {assignments_, commits_, questions_, replication_, to.doubts}) {}

void Tasks::assign() {
  for (const PathId path : run_.queue.begin_rested(run_.now())) {
    run_.note_path(path);  // who begins anew has to know with which versions it has begun
    assignments_.queued(path);
  }
  for (const PathId path : assignments_.assign()) backups_.watch(path);
  name_reserves(run_);
  backups_.give();
}

void Tasks::look_after_late() {
  questions_.expire_leases();
  backups_.look();
}

std::optional<Seconds> Tasks::late_at() const {
  std::optional<Seconds> first = run_.queue.dispatch().looks_again_at(run_.now());
  for (const auto& other : {leases_.first(), backups_.due(), run_.queue.resting().over_at()}) {
    if (other && (!first || *other < *first)) first = other;
  }
  return first;
}

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
    to_.doubts.restored(id);
  }
  to_.evaluations.note_end();
}

void Tasks::restore(PathId id, const PathRecord& record, bool run_goes_on) {
  run_.losses.set(id, record.loss_sum / static_cast<double>(run_.plan.config.inner.steps));
  const bool attempted = record.epoch > 0;
  run_.queue.restore(id, restored_path(run_, record, run_goes_on), attempted);
  if (attempted && run_goes_on) assignments_.lease(id);
  if (attempted && !run_goes_on) questions_.question(id);
}

void Tasks::module_ready(ModuleId module) {
  for (const PathId path : run_.plan.topology.paths_through(module)) commits_.commit_if_complete(path);
}

void Tasks::ended(NodeId worker, const TaskDone& message) {
  const PathId id = message.id.path;
  PathEntry& path = run_.queue.path(id);
  const GivenTask* const given = run_.given.find(worker);
  const bool its = given != nullptr && given->id == message.id && given->epoch == message.epoch;
  measurements_.ended(worker, message, its ? given : nullptr);
  assignments_.lease_those_without();
  backups_.watch_those_unwatched();
  // It may have been committed all the same, by one store of several: then nobody has sent its outer gradients.
  if (!message.committed && path.version == version_after(message.id.outer_step)) to_.doubts.doubt_missing(id);
  if (!its) return;
  run_.given.remove(worker);
  replication_.replicate(id);
  if (!message.leaving) run_.queue.dispatch().worker_free(worker);
  if (path.outer_step != message.id.outer_step || path.running(worker, message.epoch) == nullptr) return;
  if (path.backup && path.backup->epoch == message.epoch) return backup_ended(id, message.committed);
  path.attempt.done = true;
  message.committed ? commits_.commit_if_complete(id) : questions_.question(id);
}

void Tasks::backup_ended(PathId id, bool committed) {
  PathEntry& path = run_.queue.path(id);
  path.backup->done = committed;
  committed ? commits_.commit_if_complete(id) : path.backup.reset();
}

void Tasks::worker_up(NodeId node, const Hello& hello) {
  measurements_.up(node);
  to_.doubts.worker_up(node);
  const std::set<PathId> its_paths = run_.queue.paths().of_worker(node);  // as in worker_lost
  for (const PathId id : its_paths) {
    const PathEntry& path = run_.queue.path(id);
    if (path.phase != PathEntry::Phase::running) continue;
    const bool at_it = hello.task == TaskId{id, path.outer_step} && hello.epoch == path.attempt.epoch;
    if (!at_it) {
      questions_.question(id);
      continue;
    }
    assignments_.lease(id);
    assignments_.send(id, run_.queue.path(id).attempt, true);
  }
  if (PathEntry* const path = with_backup_on(node)) {
    const bool at_it = hello.task.path == run_.given.find(node)->id.path && hello.epoch == path->backup->epoch;
    at_it ? assignments_.send(hello.task.path, *path->backup, true) : path->backup.reset();
  }
  answer_worker(node, hello);
}

/// The path whose backup the worker makes; null where it makes none.
PathEntry* Tasks::with_backup_on(NodeId worker) {
  const GivenTask* const given = run_.given.find(worker);
  if (given == nullptr) return nullptr;
  PathEntry& path = run_.queue.path(given->id.path);
  return path.backup && path.backup->worker == worker ? &path : nullptr;
}

/// In any case, for one that had lost this coordinator.
void Tasks::answer_worker(NodeId node, const Hello& hello) {
  if (hello.task.path == PathId{-1}) {
    run_.given.remove(node);
    run_.send(node, Owners{});
  } else if (run_.given.find(node) == nullptr) {
    // One that is committed, or that another is at: only its end is awaited. Without stores it is void.
    const PathEntry& path = run_.queue.path(hello.task.path);
    const bool counts = path.version == version_after(hello.task.outer_step) && path.state_epoch == hello.epoch;
    Task task{.id = hello.task, .epoch = hello.epoch, .again = true, .owners = run_.owners_of(hello.task.path)};
    const auto& holders = run_.holders.of(hello.task.path, path.version);
    if (counts) task.to_stores.assign(holders.begin(), holders.end());
    run_.given.set(node, {task.id, task.epoch, task.to_stores});
    run_.send(node, std::move(task));
  }
}

void Tasks::worker_lost(NodeId node) {
  run_.queue.dispatch().worker_gone(node);
  run_.in_reserve.erase(node);
  measurements_.lost(node);
  if (PathEntry* const path = with_backup_on(node)) path->backup.reset();
  to_.doubts.worker_lost(node);
  if (const GivenTask* const given = run_.given.find(node)) {
    const PathId path = given->id.path;
    run_.given.remove(node);
    replication_.replicate(path);
  }
  const std::set<PathId> its_paths =
      run_.queue.paths().of_worker(node);  // a backup's worker may have them from here on
  for (const PathId path : its_paths) {
    if (run_.queue.path(path).phase == PathEntry::Phase::running) questions_.question(path);
    if (run_.queue.path(path).phase == PathEntry::Phase::waiting) to_.doubts.doubt_missing(path);
  }
}

void Tasks::store_up(NodeId node, const Hello& hello) {
  for (const HeldState& state : hello.states) state_at(node, state);
  stores_.up(node);
}

}  // namespace dipaco
