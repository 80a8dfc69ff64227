#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/coordinator/coordinator.hpp"
#include "core/plan/deadlines.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void Coordinator::advance(PathId path) {
  if (queue_.advance(path, seams_.compute.now())) queued(path);
  want_reached(path);
  note_end();
}

void Coordinator::queued(PathId path) { record(EventKind::task_queued, path, NodeId{-1}); }

void Coordinator::assign() {
  if (!heard_of_all() || count(Role::store) == 0) return;
  while (const auto assignment = queue_.assign(seams_.compute.now(), [this](PathId path) { return reachable(path); })) {
    PathEntry& path = queue_.path(assignment->path);
    record(EventKind::task_assigned, assignment->path, assignment->worker);
    path.from_store = NodeId{-1};
    path.to_stores.clear();
    path.sent_to.clear();
    for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
      const ModuleId module = plan_.topology.module(assignment->path, l);
      const bool specific = plan_.topology.path_specific(module);
      path.sent_to.push_back(!specific && ownership_.confirmed(module) ? ownership_.owner(module).epoch : 0);
    }
    lease(assignment->path);
    send_task(assignment->path, false);
  }
}

bool Coordinator::reachable(PathId id) const {
  const PathEntry& path = queue_.path(id);
  if (count(Role::store) == 0) return false;
  if (path.inner_steps > 0) return !holders_.of(id, path.outer_step, path.inner_steps).empty();
  return path.version == 0 || !holders_.of(id, path.version).empty();
}

/// Tells the worker of a running attempt where things are: at its start, and whenever that has changed.
void Coordinator::send_task(PathId id, bool again) {
  PathEntry& path = queue_.path(id);
  const SiteId site = members_.at(path.worker).site;
  path.to_stores = choose_stores(path, site);
  const bool whole = path.first_inner_step == 0;
  const auto& holders = holders_.of(id, whole ? path.version : path.outer_step, path.first_inner_step);
  const bool from_start = path.version == 0 && whole;
  if (!from_start && !holders.empty()) path.from_store = nearest(holders, site);
  note_path(id);
  given_.set(path.worker, {{id, path.outer_step}, path.epoch, path.to_stores});
  send(path.worker, Task{.id = {id, path.outer_step},
                         .epoch = path.epoch,
                         .again = again,
                         .first_inner_step = path.first_inner_step,
                         .from_store = path.from_store,
                         .to_stores = path.to_stores,
                         .owners = owners_of(id),
                         .base = again ? Base{} : path.base});
}

void Coordinator::lease(PathId id) {
  const PathEntry& path = queue_.path(id);
  const KnownNode* const worker = members_.find(path.worker);
  const double speed = worker == nullptr ? 0 : worker->speed;
  const double steps = static_cast<double>(plan_.config.inner.steps - path.first_inner_step);
  const Bytes moved{4 * 10 * plan_.charged.size};  // modules, path state in and out
  const Seconds lasting = lease_of(plan_.config.liveness, steps * plan_.inner_step_cost, speed, moved);
  leases_.push({seams_.compute.now() + lasting, id, path.outer_step, path.epoch});
}

void Coordinator::question(PathId id) {
  queue_.question(id, seams_.compute.now());
  const PathEntry& path = queue_.path(id);
  leases_.push({seams_.compute.now() + 6 * plan_.config.liveness.limit, id, path.outer_step, path.epoch});
  const std::vector<NodeId> stores = queue_.path(id).to_stores;
  for (const NodeId store : stores) {
    if (members_.contains(store)) ask(id, store);
  }
}

void Coordinator::ask(PathId id, NodeId store) {
  PathEntry& path = queue_.path(id);
  path.asked.insert(store);
  send(store, QueryPath{id, path.outer_step, path.epoch + 1});
}

/// A store has answered, or was lost: the attempt is concluded once all that are there have answered, and one has.
void Coordinator::answered(PathId id) {
  const PathEntry& path = queue_.path(id);
  if (path.asked.empty() && path.answered) conclude(id);
}

/// A lost attempt is committed after all, or its task is queued again.
void Coordinator::conclude(PathId id) {
  PathEntry& path = queue_.path(id);
  path.asked.clear();
  if (const auto found = arrivals_.find(id); found != arrivals_.end() && !found->second.empty()) return commit(id);
  record(EventKind::task_requeued, id, path.worker);
  queue_.requeue(id, seams_.compute.now());
  drop_lost_part(id);
  void_attempts(id);
}

/// Attempts at the path's task, or at an earlier one, that count no more: their workers need not go on.
void Coordinator::void_attempts(PathId id) {
  const PathEntry& path = queue_.path(id);
  for (const NodeId worker : given_.of(id)) {
    GivenTask& attempt = *given_.find(worker);
    const bool counts = attempt.id.outer_step + 1 == path.version && attempt.epoch == path.state_epoch;
    if (counts || attempt.to_stores.empty() || !members_.contains(worker)) continue;
    attempt.to_stores.clear();
    send(worker, Task{.id = attempt.id, .epoch = attempt.epoch, .again = true, .owners = owners_of(id)});
  }
}

void Coordinator::doubt_gradients(PathId path) {
  const std::int32_t version = queue_.path(path).version;
  for (const ModuleId module : queue_.missing_modules(path)) {
    if (queue_.modules().settled(module, path) < version) doubts_.emplace(module, path);
  }
}

/// Outer gradients that may never come are made from the stores, by owners that have said that they hold the module.
void Coordinator::mend_gradients() {
  for (auto doubt = doubts_.begin(); doubt != doubts_.end();) {
    const auto& [module, id] = *doubt;
    const PathEntry& path = queue_.path(id);
    const bool settled = queue_.modules().settled(module, id) >= path.version;
    const auto& stores = holders_.of(id, path.version);
    if (!settled && (stores.empty() || !ownership_.confirmed(module))) {
      ++doubt;
      continue;
    }
    if (!settled) {
      const NodeId executor = ownership_.owner(module).executor;
      const KnownNode* const member = members_.find(executor);
      const SiteId site = member == nullptr ? path.site : member->site;
      send(executor, GradientsLost{.module = module,
                                   .task = {id, path.version - 1},
                                   .store = nearest(stores, site),
                                   .base = version_in(path.state_base, module),
                                   .inner_steps = static_cast<std::int32_t>(plan_.config.inner.steps)});
    }
    doubt = doubts_.erase(doubt);
  }
}

void Coordinator::expire_leases() {
  while (!leases_.empty() && leases_.top().ends <= seams_.compute.now()) {
    const Lease lease = leases_.top();
    leases_.pop();
    const PathEntry& path = queue_.path(lease.path);
    if (path.outer_step != lease.outer_step || path.epoch != lease.epoch) continue;
    if (path.phase == PathEntry::Phase::running) {
      question(lease.path);
    } else if (path.phase == PathEntry::Phase::in_question) {
      conclude(lease.path);  // who could answer does not; a commit that comes to light later counts, if it is the first
    }
  }
}

void Coordinator::note_path(PathId id) {
  const PathEntry& path = queue_.path(id);
  ledger_.note(PathRecord{.path = id,
                          .version = path.version,
                          .inner_steps = path.inner_steps,
                          .site = path.site,
                          .state_epoch = path.state_epoch,
                          .loss_sum = losses_.of(id) * static_cast<double>(plan_.config.inner.steps),
                          .epoch = path.epoch,
                          .worker = path.worker,
                          .to_stores = path.to_stores,
                          .state_base = path.state_base,
                          .base = path.base});
}

/// Where fewer stores than there could be have a state that is needed, one that has it sends it to another. A state
/// that its worker still puts is left alone.
void Coordinator::replicate(PathId id) {
  if (plan_.config.run.replicas == 1) return;
  const PathEntry& path = queue_.path(id);
  for (const NodeId worker : given_.of(id)) {
    if (given_.find(worker)->id.outer_step + 1 == path.version) return;
  }
  const auto copy = [&](std::int32_t version) {
    const auto& holders = holders_.of(id, version);
    if (version == 0 || holders.empty() || std::ssize(holders) >= plan_.config.run.replicas) return;
    if (copying_.contains({id, version})) return;
    std::set<std::string> machines;
    for (const NodeId store : holders) machines.insert(members_.at(store).machine);
    for (const NodeId store : members_.stores_near(path.site)) {
      if (machines.contains(members_.at(store).machine)) continue;
      copying_[{id, version}] = store;
      send(nearest(holders, members_.at(store).site), CopyPathState{id, version, store});
      return;
    }
  };
  const auto copy_older = [&](std::int32_t evaluated) {
    const std::int32_t version = plan_.timetable.state_version(id, evaluated);
    if (version < path.version) copy(version);
  };
  copy(path.version);
  for (const Job& job : jobs_.of(id)) copy_older(job.version);
  if (best_.contains(id)) copy_older(best_version(id));
}

NodeId Coordinator::nearest(const std::set<NodeId>& stores, SiteId site) const {
  check(!stores.empty(), "there is a store to choose");
  for (const NodeId store : stores) {
    if (members_.at(store).site == site) return store;
  }
  return *stores.begin();
}

/// Stores for what an attempt makes: those it has already that are there, then others, on different machines. Where
/// none is there, those it has: one may come back.
std::vector<NodeId> Coordinator::choose_stores(const PathEntry& path, SiteId site) const {
  std::vector<NodeId> chosen;
  std::set<std::string> machines;
  const auto take = [&](NodeId store) {
    const KnownNode* const member = members_.find(store);
    if (member == nullptr) return;
    const bool known = std::find(chosen.begin(), chosen.end(), store) != chosen.end();
    if (!known && machines.insert(member->machine).second) chosen.push_back(store);
  };
  const auto enough = [&] { return std::ssize(chosen) == plan_.config.run.replicas; };
  for (const NodeId store : path.to_stores) {
    if (!enough()) take(store);
  }
  for (const NodeId store : members_.stores_near(site)) {
    if (enough()) break;
    take(store);
  }
  return chosen.empty() ? path.to_stores : chosen;
}

std::vector<Owner> Coordinator::owners_of(PathId path) const {
  std::vector<Owner> owners;
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(path, l);
    if (!plan_.topology.path_specific(module)) owners.push_back(ownership_.owner(module));
  }
  return owners;
}

void Coordinator::record(EventKind kind, PathId path, NodeId node) const {
  const PathEntry& entry = queue_.path(path);
  seams_.log.record({.time = seams_.compute.now(),
                     .kind = kind,
                     .attempt = static_cast<std::int16_t>(entry.epoch),
                     .node = node,
                     .path = path,
                     .outer_step = entry.outer_step,
                     .inner_steps = entry.inner_steps});
}

}  // namespace dipaco
