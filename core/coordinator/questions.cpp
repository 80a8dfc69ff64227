#include "core/coordinator/questions.hpp"

#include <algorithm>
#include <set>

namespace dipaco {

void Questions::question(PathId id) {
  if (to_.backups.take_over(id)) {
    if (run_.queue.path(id).attempt.done) to_.commits.commit_if_complete(id);
    return;
  }
  run_.queue.path(id).question(run_.now());
  const PathEntry& path = run_.queue.path(id);
  lease({{}, id, path.outer_step, path.attempt.epoch});
  std::set<NodeId> stores(path.attempt.to_stores.begin(), path.attempt.to_stores.end());
  stores.insert(path.attempt.were_to.begin(), path.attempt.were_to.end());
  for (const NodeId store : stores) {
    if (run_.members.contains(store)) ask(id, store);
  }
}

void Questions::ask(PathId id, NodeId store) {
  PathEntry& path = run_.queue.path(id);
  path.asked.insert(store);
  run_.send(store, QueryPath{id, path.outer_step, path.last_epoch + 1});
}

void Questions::answer(NodeId store, const PathStatus& status) {
  PathEntry& path = run_.queue.path(status.path);
  const bool mine = path.phase == PathEntry::Phase::in_question && status.outer_step == path.outer_step &&
                    status.epoch == path.last_epoch + 1 && path.asked.erase(store) > 0;
  if (!mine) return;
  path.answered = true;
  conclude_if_answered(status.path);
}

void Questions::store_lost(PathId id, NodeId store) {
  PathEntry& path = run_.queue.path(id);
  if (path.phase == PathEntry::Phase::in_question && path.asked.erase(store) > 0) conclude_if_answered(id);
}

/// Once all that are there have answered, and one has.
void Questions::conclude_if_answered(PathId id) {
  const PathEntry& path = run_.queue.path(id);
  if (path.asked.empty() && path.answered) conclude(id);
}

/// A lost attempt is committed after all, or its task is queued again.
void Questions::conclude(PathId id) {
  PathEntry& path = run_.queue.path(id);
  path.asked.clear();
  if (to_.commits.arrived(id)) return to_.commits.commit(id);
  run_.record(EventKind::task_requeued, id, path.attempt.worker, path.attempt.epoch);
  run_.queue.requeue(id, run_.now());
  to_.assignments.drop_lost_part(id);
  to_.assignments.void_attempts(id);
}

/// What computes, or waits for what moves, is waited for. That nothing had moved when the worker answered may be long
/// ago: it is asked once more, and given up if it still does not move. REQUIRES that the attempt runs.
void Questions::late(const Lease& lease) {
  const NodeId worker = run_.queue.path(lease.path).attempt.worker;
  if (!run_.members.contains(worker)) return question(lease.path);
  const bool hopeful = lease.asked == 0 || run_.hopeful(worker);
  if (!hopeful && (lease.doubted || run_.inquiries.is_silent(worker))) return question(lease.path);
  run_.inquire(worker);
  to_.assignments.lease(lease.path, lease.asked + (hopeful ? 1 : 0), !hopeful);
}

/// Waits for answers about the lost attempt.
void Questions::lease(const Lease& lease) {
  Lease waits = lease;
  waits.ends = run_.now() + 6 * run_.plan.config.liveness.limit;
  leases_.add(waits);
}

/// Stores that are there have not answered. They are asked anew, once, and as long as messages to or from them wait for
/// their turn on a line.
void Questions::unanswered(const Lease& lease) {
  const std::set<NodeId> asked = run_.queue.path(lease.path).asked;
  const auto in_turns = run_.seams.transport.in_motion().in_turns;
  const bool slow = std::ranges::any_of(in_turns, [&asked](NodeId node) { return asked.contains(node); });
  // Who could answer does not; a commit that comes to light later counts, if it is the first.
  if (asked.empty() || (lease.asked > 0 && !slow)) return conclude(lease.path);
  for (const NodeId store : asked) ask(lease.path, store);
  this->lease({{}, lease.path, lease.outer_step, lease.epoch, lease.asked + 1});
}

void Questions::expire_leases() {
  while (const auto lease = leases_.take_ended(run_.now())) {
    const PathEntry& path = run_.queue.path(lease->path);
    if (path.outer_step != lease->outer_step || path.attempt.epoch != lease->epoch) continue;
    if (path.phase == PathEntry::Phase::running) {
      late(*lease);
    } else if (path.phase == PathEntry::Phase::in_question) {
      unanswered(*lease);
    }
  }
}

}  // namespace dipaco
