#include "core/coordinator/backups.hpp"

#include <utility>

#include "core/coordinator/known/usual_time.hpp"

namespace dipaco {

void Backups::watch(PathId id) {
  if (!run_.plan.config.run.backup_tasks) return;
  const PathEntry& path = run_.queue.path(id);
  const TaskAttempt& attempt = path.attempt;
  if (const auto usual = usual_time(run_, attempt.worker, path.length)) {
    watch_again(id, attempt.since.value_or(path.since) + late_after(*usual), 0);
  } else {
    unwatched_.insert(id);
  }
}

void Backups::watch_those_unwatched() {
  for (const PathId id : std::exchange(unwatched_, {})) {
    if (may_be_given(id)) watch(id);
  }
}

void Backups::watch_again(PathId id, Seconds when, int asked) {
  const PathEntry& path = run_.queue.path(id);
  watched_.add({when, id, path.outer_step, path.attempt.epoch, asked});
}

/// Whether the path's attempt runs, alone, and goes on running.
bool Backups::may_be_given(PathId id) const {
  const PathEntry& path = run_.queue.path(id);
  return path.phase == PathEntry::Phase::running && !path.backup && !path.attempt.done;
}

/// Who computes answers once it has done all inner steps. Who answers at once waits for bytes, which another worker
/// would have to wait for, too: it is asked again once the task has taken twice as long.
void Backups::look() {
  while (const auto late = watched_.take_ended(run_.now())) {
    const PathEntry& path = run_.queue.path(late->path);
    const bool same = path.outer_step == late->outer_step && path.attempt.epoch == late->epoch;
    if (!same || !may_be_given(late->path)) continue;
    const NodeId worker = path.attempt.worker;
    const Inquiries::Answers* const answers = run_.inquiries.find(worker);
    if (late->asked == 0) {
      if (run_.members.contains(worker) && (answers == nullptr || !answers->open)) run_.inquire(worker);
      watch_again(late->path, run_.now() + run_.plan.config.liveness.limit, 1);
    } else if (answers != nullptr && !answers->open) {
      watch_again(late->path, run_.now() + (run_.now() - path.attempt.since.value_or(path.since)),
                  0);  // it waits for what moves
    } else {
      wanted_.insert(late->path);
    }
  }
}

void Backups::give() {
  Dispatch& dispatch = run_.queue.dispatch();
  for (auto wanted = wanted_.begin(); wanted != wanted_.end();) {
    const PathId id = *wanted;
    const PathEntry& path = run_.queue.path(id);
    const auto worker = dispatch.fastest_free();
    if (!may_be_given(id)) {
      wanted = wanted_.erase(wanted);
      continue;
    }
    if (!worker) return;
    if (path.spoiled_by.contains(*worker) || !run_.reachable(id)) {
      ++wanted;
      continue;
    }
    wanted = wanted_.erase(wanted);
    // What has taken as long as another would need altogether is worth beginning anew: at worst it is twice the work
    // of whoever knew how long it takes.
    const auto usual = usual_time(run_, *worker, path.length);
    const Seconds worth_it = path.attempt.since.value_or(path.since) + (usual ? usual->median : Seconds(0));
    if (run_.now() < worth_it) {
      watch_again(id, worth_it, 1);
      continue;
    }
    dispatch.take(*worker);
    assignments_.assign_beside(id, *worker);
  }
}

bool Backups::take_over(PathId id) {
  const PathEntry& path = run_.queue.path(id);
  if (!path.backup) return false;
  run_.record(EventKind::task_requeued, id, path.attempt.worker, path.attempt.epoch);
  run_.queue.paths().take_over(id);
  run_.note_path(id);
  assignments_.void_attempts(id);
  assignments_.lease(id);
  watch(id);
  return true;
}

}  // namespace dipaco
