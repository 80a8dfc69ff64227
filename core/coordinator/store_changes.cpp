#include "core/coordinator/store_changes.hpp"

#include <algorithm>

namespace dipaco {

void StoreChanges::up(NodeId store) {
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) tell_store(store, PathId{p});
}

/// Tells a store that has come what is asked of the path, and the path's worker of the store.
void StoreChanges::tell_store(NodeId store, PathId id) {
  const PathEntry& path = run_.queue.path(id);
  if (path.phase == PathEntry::Phase::in_question && path.attempt.concerns(store)) to_.questions.ask(id, store);
  // It was away when earlier attempts were given up: one of them may wake yet.
  const Epoch lowest = path.phase == PathEntry::Phase::queued ? path.last_epoch + 1 : path.attempt.epoch;
  if (path.phase != PathEntry::Phase::in_question && path.attempt.epoch > 0 && lowest > 1) {
    run_.send(store, QueryPath{id, path.outer_step, lowest});
  }
  to_.assignments.drop_lost_part(id);
  if (path.phase != PathEntry::Phase::running) return;
  tell_worker(store, id, run_.queue.path(id).attempt);
  if (path.backup) tell_worker(store, id, *run_.queue.path(id).backup);
}

void StoreChanges::tell_worker(NodeId store, PathId id, TaskAttempt& attempt) {
  if (!run_.members.contains(attempt.worker) || attempt.done) return;
  const bool stranded = std::ranges::none_of(attempt.to_stores, [&](NodeId its) { return run_.members.contains(its); });
  const bool nearer = is_nearer(store, attempt) && !to_.commits.arrived(id);
  if (nearer) {  // they are chosen anew
    attempt.were_to.insert(attempt.were_to.end(), attempt.to_stores.begin(), attempt.to_stores.end());
    attempt.to_stores.clear();
  }
  if (attempt.concerns(store) || stranded || nearer) to_.assignments.send(id, attempt, true);
}

/// Whether it is of the worker's site, and all that the attempt puts to are of others, as this one was away.
bool StoreChanges::is_nearer(NodeId store, const TaskAttempt& attempt) const {
  const SiteId site = run_.members.at(attempt.worker).site;
  const auto there = [&](NodeId its) {
    const KnownNode* const member = run_.members.find(its);
    return member != nullptr && member->site == site;
  };
  return there(store) &&
         std::ranges::none_of(attempt.to_stores, [&](NodeId its) { return there(its) || run_.awaited.contains(its); });
}

void StoreChanges::lost(NodeId store) {
  run_.holders.gone(store);
  to_.replication.store_lost();
  to_.doubts.store_lost(store);
  for (const auto& [worker, task] : run_.given.all()) to_.assignments.spare(worker);
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) without(store, PathId{p});
}

/// What the path's task has had of the store it has no more.
void StoreChanges::without(NodeId store, PathId id) {
  PathEntry& path = run_.queue.path(id);
  if (path.backup && path.backup->concerns(store)) {
    // What the store has told of it may be lost.
    path.backup->done ? path.backup.reset() : tell_worker(store, id, *path.backup);
  }
  if (path.phase == PathEntry::Phase::running && path.attempt.concerns(store)) {
    if (path.attempt.done) {
      to_.questions.question(id);
    } else if (run_.members.contains(path.attempt.worker)) {
      to_.assignments.send(id, path.attempt, true);
    }
  }
  to_.assignments.drop_lost_part(id);
  to_.commits.forget(id, store);
  to_.questions.store_lost(id, store);
  to_.commits.commit_if_complete(id);
}

}  // namespace dipaco
