#include "core/coordinator/assignments.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/coordinator/patience.hpp"

namespace dipaco {

void Assignments::assign() {
  if (!run_.awaited.heard_of_all(run_.now()) || run_.members.count(Role::store) == 0) return;
  const auto reachable = [this](PathId path) { return run_.reachable(path); };
  while (const auto assignment = run_.queue.assign(run_.now(), reachable)) {
    PathEntry& path = run_.queue.path(assignment->path);
    run_.record(EventKind::task_assigned, assignment->path, assignment->worker);
    run_.inquiries.forget(assignment->worker);
    path.from_store = NodeId{-1};
    path.to_stores.clear();
    path.sent_to.clear();
    for (std::int32_t l = 0; l < run_.plan.topology.levels(); ++l) {
      const ModuleId module = run_.plan.topology.module(assignment->path, l);
      const bool known = !run_.plan.topology.path_specific(module) && run_.ownership.confirmed(module);
      path.sent_to.push_back(known ? run_.ownership.owner(module).epoch : 0);
    }
    lease(assignment->path);
    send(assignment->path, false);
  }
}

void Assignments::advance(PathId path) {
  if (run_.queue.advance(path, run_.now())) queued(path);
  evaluations_.want_reached(path);
  evaluations_.note_end();
}

void Assignments::send(PathId id, bool again) {
  PathEntry& path = run_.queue.path(id);
  const SiteId site = run_.members.at(path.worker).site;
  path.to_stores = choose_stores(path, site);
  const bool whole = path.first_inner_step == 0;
  const auto& holders = run_.holders.of(id, whole ? path.version : path.outer_step, path.first_inner_step);
  const bool from_start = path.version == 0 && whole;
  if (!from_start && !holders.empty()) path.from_store = run_.nearest(holders, site);
  run_.note_path(id);
  run_.given.set(path.worker, {{id, path.outer_step}, path.epoch, path.to_stores});
  run_.send(path.worker, Task{.id = {id, path.outer_step},
                              .epoch = path.epoch,
                              .again = again,
                              .first_inner_step = path.first_inner_step,
                              .from_store = path.from_store,
                              .to_stores = path.to_stores,
                              .owners = run_.owners_of(id),
                              .base = again ? Base{} : path.base});
}

void Assignments::lease(PathId id, int asked) {
  const PathEntry& path = run_.queue.path(id);
  const double steps = static_cast<double>(run_.plan.config.inner.steps - path.first_inner_step);
  const auto lasting = patience_with(run_, path.worker, steps * run_.plan.inner_step_cost);
  if (lasting) {
    leases_.add({run_.now() + std::ldexp(1, asked) * *lasting, id, path.outer_step, path.epoch, asked});
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
    const bool counts = attempt.id.outer_step + 1 == path.version && attempt.epoch == path.state_epoch;
    if (counts || attempt.to_stores.empty() || !run_.members.contains(worker)) continue;
    attempt.to_stores.clear();
    run_.send(worker, Task{.id = attempt.id, .epoch = attempt.epoch, .again = true, .owners = run_.owners_of(id)});
  }
}

void Assignments::spare(NodeId worker) {
  GivenTask& attempt = *run_.given.find(worker);
  const PathEntry& path = run_.queue.path(attempt.id.path);
  const bool current = path.phase == PathEntry::Phase::running && path.worker == worker &&
                       path.outer_step == attempt.id.outer_step && path.epoch == attempt.epoch;
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
  const bool part_there = !run_.holders.of(id, path.outer_step, path.inner_steps).empty();
  const bool whole_there = path.version == 0 || !run_.holders.of(id, path.version).empty();
  if (part_there || !whole_there) return;
  path.inner_steps = 0;
  run_.note_path(id);
}

/// Stores for what an attempt makes: those it has already that are there, then others, on different machines. Where
/// none is there, those it has: one may come back.
std::vector<NodeId> Assignments::choose_stores(const PathEntry& path, SiteId site) const {
  std::vector<NodeId> chosen;
  std::set<std::string> machines;
  const auto take = [&](NodeId store) {
    const KnownNode* const member = run_.members.find(store);
    if (member == nullptr) return;
    const bool known = std::find(chosen.begin(), chosen.end(), store) != chosen.end();
    if (!known && machines.insert(member->machine).second) chosen.push_back(store);
  };
  const auto enough = [&] { return std::ssize(chosen) == run_.plan.config.run.replicas; };
  for (const NodeId store : path.to_stores) {
    if (!enough()) take(store);
  }
  for (const NodeId store : run_.members.stores_near(site)) {
    if (enough()) break;
    take(store);
  }
  return chosen.empty() ? path.to_stores : chosen;
}

}  // namespace dipaco
