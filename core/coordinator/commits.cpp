#include "core/coordinator/commits.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void Commits::state_at(NodeId store, const HeldState& state) {
  const PathEntry& path = run_.queue.path(state.path);
  if (state.inner_steps > 0) {
    if (state.version != number(path.outer_step)) return;
    run_.holders.add(state.path, state.version, state.inner_steps, store);
    run_.queue.path(state.path).note_handed_back(state.inner_steps, run_.members.at(store).site);
    run_.note_path(state.path);
    return;
  }
  if (state.version > path.version) return note_arrival(store, state);
  to_.replication.arrived(state, store);
  // Two attempts may each have reached one store: the one that counts is copied over the other.
  const bool other_attempt = state.version == path.version && state.epoch != path.state_epoch;
  const bool wanted =
      state.version >= run_.state_before(state.path, path.version) || run_.retention.keeps(state.path, state.version);
  if (other_attempt) {
    to_.replication.replicate(state.path);
  } else if (wanted) {
    run_.holders.add(state.path, state.version, 0, store);
  }
}

void Commits::note_arrival(NodeId store, const HeldState& state) {
  const PathEntry& path = run_.queue.path(state.path);
  if (state.version > version_after(path.outer_step)) {
    throw DataError("store " + std::to_string(index(store)) + " has version " + std::to_string(state.version) + " of " +
                    text(state.path) + ", the coordinator's journal ends at " + std::to_string(path.version) +
                    "; start all nodes with the storage of the same run");
  }
  forget(state.path, store);
  arrivals_[state.path].push_back({store, state});
  commit_if_complete(state.path);
}

bool Commits::arrived(PathId path) const {
  const auto found = arrivals_.find(path);
  return found != arrivals_.end() && !found->second.empty();
}

void Commits::forget(PathId path, NodeId store) {
  const auto found = arrivals_.find(path);
  if (found == arrivals_.end()) return;
  std::erase_if(found->second, [store](const Arrival& arrival) { return arrival.store == store; });
}

void Commits::commit_if_complete(PathId id) {
  if (!arrived(id)) return;
  const PathEntry& path = run_.queue.path(id);
  // What an earlier attempt has made counts at once if its outer gradients are in a module that has gone on since: then
  // nobody has the versions any more that the running attempt begins with.
  const bool applied = is_applied(id, arrivals_.at(id).front().state.version);
  const bool over = path.attempt.done || is_over(id, path.attempt) || (path.backup && is_made_by(id, *path.backup));
  if (path.phase == PathEntry::Phase::running && !applied && !over) return;
  if (path.phase == PathEntry::Phase::in_question && !path.asked.empty()) return;
  commit(id);
}

/// Whether each of its stores that is there has the state, of whatever attempt.
bool Commits::is_over(PathId id, const TaskAttempt& attempt) const {
  const auto& arrivals = arrivals_.at(id);
  return std::ranges::none_of(attempt.to_stores, [&](NodeId store) {
    const bool there = run_.members.contains(store) || run_.awaited.contains(store);
    return there && std::ranges::find(arrivals, store, &Arrival::store) == arrivals.end();
  });
}

/// Whether a shared module has settled what the path's state of this version gave to it.
bool Commits::is_applied(PathId id, std::int32_t version) const {
  const ModuleVersions& modules = run_.queue.modules();
  return std::ranges::any_of(modules.newest(id), [&](const BaseVersion& part) {
    return modules.settled(part.module, id) >= OuterStep{version};
  });
}

/// Whether it is over, and one of its stores has what it made itself: then its worker has sent outer gradients, or
/// will.
bool Commits::is_made_by(PathId id, const TaskAttempt& attempt) const {
  const auto its = [&](const Arrival& arrival) { return arrival.state.epoch == attempt.epoch; };
  return is_over(id, attempt) && std::ranges::any_of(arrivals_.at(id), its);
}

void Commits::commit(PathId id) {
  const PathEntry& path = run_.queue.path(id);
  if (path.backup && !is_made_by(id, path.attempt) && is_made_by(id, *path.backup)) run_.queue.paths().take_over(id);
  const auto arrivals = arrivals_.extract(id).mapped();
  // Of several attempts the running one counts, which will send its outer gradients; else the first that was heard of.
  const auto newest = std::ranges::find(arrivals, path.attempt.epoch, [](const Arrival& it) { return it.state.epoch; });
  const Arrival& counted = newest == arrivals.end() ? arrivals.front() : *newest;
  const bool by_last = counted.state.epoch == path.attempt.epoch;
  const bool by_running = path.phase == PathEntry::Phase::running && by_last;
  const std::vector<Epoch> sent_to = path.attempt.sent_to;
  take(id, counted, arrivals);
  to_.refusals.committed(counted.state.worker);
  run_.made_progress();
  to_.doubts.committed(id, sent_to, {.last = by_last, .running = by_running});
  if (run_.members.count(Role::store) < run_.options.stores) {
    for (const NodeId worker : run_.given.of(id)) to_.assignments.spare(worker);
  }
  for (const NodeId worker : run_.given.of(id)) run_.queue.dispatch().ends(worker);
  to_.assignments.void_attempts(id);
  if (!by_running) to_.replication.replicate(id);
  to_.assignments.advance(id);
  to_.diagnosis.tell_progress();
}

/// The state counts: its path is at it, and the journal says so.
void Commits::take(PathId id, const Arrival& counted, const std::vector<Arrival>& arrivals) {
  const HeldState& state = counted.state;
  const std::int32_t steps = run_.queue.path(id).length;
  run_.note_order(id);
  run_.queue.committed(id, state.version, run_.members.at(counted.store).site, run_.now());
  run_.queue.path(id).state_epoch = state.epoch;
  for (const Arrival& arrival : arrivals) {
    if (arrival.state.epoch == state.epoch) run_.holders.add(id, state.version, 0, arrival.store);
  }
  run_.holders.drop_below(id, run_.state_before(id, state.version),
                          [&](std::int32_t version) { return run_.retention.keeps(id, version); });
  run_.losses.set(id, state.loss_sum / steps);
  run_.note_path(id);
}

}  // namespace dipaco
