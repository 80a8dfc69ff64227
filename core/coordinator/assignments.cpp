#include "core/coordinator/assignments.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/coordinator/known/patience.hpp"
#include "core/coordinator/known/reserves.hpp"
#include "core/coordinator/known/rounds.hpp"

namespace dipaco {

std::vector<PathId> Assignments::assign() {
  std::vector<PathId> given;
  if (!run_.awaited.heard_of_all(run_.now()) || run_.members.count(Role::store) == 0) return given;
  const auto reachable = [this](PathId path) { return run_.reachable(path); };
  while (const auto assignment = run_.queue.assign(run_.now(), reachable)) {
    set_base(run_, assignment->path);
    lease(assignment->path);
    begin(assignment->path, run_.queue.path(assignment->path).attempt);
    given.push_back(assignment->path);
  }
  return given;
}

void Assignments::assign_beside(PathId path, NodeId worker) {
  run_.queue.paths().run_beside(path, worker, run_.now());
  begin(path, *run_.queue.path(path).backup);
}

void Assignments::begin(PathId id, TaskAttempt& attempt) {
  run_.record(EventKind::task_assigned, id, attempt.worker, attempt.epoch);
  run_.inquiries.forget(attempt.worker);
  called_up(run_, attempt.worker);
  for (std::int32_t l = 0; l < run_.plan.topology.levels(); ++l) {
    const ModuleId module = run_.plan.topology.module(id, l);
    const bool known = !run_.plan.topology.path_specific(module) && run_.ownership.confirmed(module);
    attempt.sent_to.push_back(known ? run_.ownership.owner(module).epoch : 0);
  }
  send(id, attempt, false);
}

void Assignments::advance(PathId path) {
  if (run_.queue.advance(path, run_.now())) queued(path);
  evaluations_.want_reached(path);
  evaluations_.note_end();
}

void Assignments::send(PathId id, TaskAttempt& attempt, bool again) {
  const PathEntry& path = run_.queue.path(id);
  const SiteId site = run_.members.at(attempt.worker).site;
  attempt.to_stores = choose_stores(attempt, site);
  const bool whole = attempt.first_inner_step == 0;
  const auto& holders = run_.holders.of(id, whole ? path.version : number(path.outer_step), attempt.first_inner_step);
  const bool from_start = path.version == 0 && whole;
  if (!from_start && !holders.empty()) attempt.from_store = run_.nearest(holders, site);
  run_.note_path(id);
  run_.given.set(attempt.worker, {.id = {id, path.outer_step},
                                  .epoch = attempt.epoch,
                                  .to_stores = attempt.to_stores,
                                  .since = attempt.since,
                                  .length = path.length,
                                  .from_store = attempt.from_store});
  run_.send(attempt.worker, Task{.id = {id, path.outer_step},
                                 .epoch = attempt.epoch,
                                 .again = again,
                                 .first_inner_step = attempt.first_inner_step,
                                 .inner_steps = path.length,
                                 .last = run_.lengths.is_last(path),
                                 .from_store = attempt.from_store,
                                 .to_stores = attempt.to_stores,
                                 .owners = run_.owners_of(id),
                                 .base = again ? Base{} : path.base,
                                 .cache = run_.cache_at(site, id)});
}

void Assignments::lease(PathId id, int asked, bool doubted) {
  const PathEntry& path = run_.queue.path(id);
  const double steps = static_cast<double>(path.length - path.attempt.first_inner_step);
  const auto lasting = patience_with(run_, path.attempt.worker, steps * run_.plan.inner_step_cost);
  if (lasting) {
    const Seconds until = run_.now() + std::ldexp(1, doubted ? 0 : asked) * *lasting;
    leases_.add({until, id, path.outer_step, path.attempt.epoch, asked, doubted});
  } else {
    without_lease_.insert(id);
  }
}

void Assignments::lease_those_without() {
  for (const PathId id : std::exchange(without_lease_, {})) {
    if (run_.queue.path(id).phase == PathEntry::Phase::running) lease(id);
  }
}

void Assignments::void_attempts(PathId id) {
  const PathEntry& path = run_.queue.path(id);
  for (const NodeId worker : run_.given.of(id)) {
    GivenTask& attempt = *run_.given.find(worker);
    const bool committed = version_after(attempt.id.outer_step) == path.version && attempt.epoch == path.state_epoch;
    const bool runs = attempt.id.outer_step == path.outer_step && path.running(worker, attempt.epoch) != nullptr;
    if (committed || runs || attempt.to_stores.empty() || !run_.members.contains(worker)) continue;
    attempt.to_stores.clear();
    run_.send(worker, Task{.id = attempt.id, .epoch = attempt.epoch, .again = true, .owners = run_.owners_of(id)});
  }
}

void Assignments::spare(NodeId worker) {
  GivenTask& attempt = *run_.given.find(worker);
  const PathEntry& path = run_.queue.path(attempt.id.path);
  const bool current = path.outer_step == attempt.id.outer_step && path.running(worker, attempt.epoch) != nullptr;
  const auto away = [&](NodeId store) { return !run_.members.contains(store) && !run_.awaited.contains(store); };
  if (current || std::erase_if(attempt.to_stores, away) == 0) return;
  run_.send(worker, Task{.id = attempt.id,
                         .epoch = attempt.epoch,
                         .again = true,
                         .to_stores = attempt.to_stores,
                         .owners = run_.owners_of(attempt.id.path)});
}

void Assignments::drop_lost_part(PathId id) {
  PathEntry& path = run_.queue.path(id);
  const bool at_rest = path.inner_steps > 0 && path.phase != PathEntry::Phase::running;
  if (!at_rest || !run_.awaited.heard_of_all(run_.now())) return;
  const bool part_there = !run_.holders.of(id, number(path.outer_step), path.inner_steps).empty();
  const bool whole_there = path.version == 0 || !run_.holders.of(id, path.version).empty();
  if (part_there || !whole_there) return;
  path.inner_steps = 0;
  run_.note_path(id);
}

/// Stores for what an attempt makes: those it has already that are there or awaited, then others, on different
/// machines. Where there is none, those it has: one may come back.
std::vector<NodeId> Assignments::choose_stores(const TaskAttempt& attempt, SiteId site) const {
  std::vector<NodeId> chosen;
  std::set<std::string> machines;
  const auto take = [&](NodeId store) {
    const KnownNode* const member = run_.members.find(store);
    if (member == nullptr && !run_.awaited.contains(store)) return;
    const bool known = std::find(chosen.begin(), chosen.end(), store) != chosen.end();
    if (!known && (member == nullptr || machines.insert(member->machine).second)) chosen.push_back(store);
  };
  const auto enough = [&] { return std::ssize(chosen) == run_.plan.config.run.replicas; };
  for (const NodeId store : attempt.to_stores) {
    if (!enough()) take(store);
  }
  for (const NodeId store : run_.members.stores_near(site, index(attempt.worker))) {
    if (enough()) break;
    take(store);
  }
  return chosen.empty() ? attempt.to_stores : chosen;
}

}  // namespace dipaco
