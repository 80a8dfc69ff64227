#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/coordinator/coordinator.hpp"
#include "core/state/module_files.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void Coordinator::hello(NodeId node, const Hello& hello) {
  if (hello.config_hash != plan_.config_hash || hello.prepared_hash != plan_.prepared_hash) {
    throw ConfigError("node " + std::to_string(index(node)) + " runs configuration " + hello.config_hash +
                      " on prepared data " + hello.prepared_hash + ", the coordinator " + plan_.config_hash + " on " +
                      plan_.prepared_hash + "; start all nodes with the same run file and prepared directory");
  }
  awaited_.erase(node);
  const KnownNode* const known = members_.find(node);
  if (known != nullptr && known->incarnation < hello.incarnation) {
    lost(node);  // back before it was missed
  }
  members_.add(node, {hello.role, hello.site, hello.machine, hello.incarnation, hello.speed});
  const auto& noted = ledger_.state().members;
  if (!noted.contains(node) || noted.at(node) != hello.role) ledger_.note(MemberRecord{node, hello.role});
  if (!arithmetic_) arithmetic_ = hello.arithmetic;
  if (*arithmetic_ != hello.arithmetic) result_.mixed_arithmetic = *arithmetic_ + " and " + hello.arithmetic;
  if (!started_) made_progress();
  if (hello.role == Role::worker) welcome_worker(node, hello);
  if (hello.role == Role::executor) welcome_executor(node, hello);
  if (hello.role == Role::store) welcome_store(node, hello);
  if (hello.role == Role::evaluator && !hello.occupied) {
    jobs_.take_back(node);
    idle_evaluators_.insert(node);
  }
  start_when_ready();
  settle_modules();
  if (finishing_) ask_for_model();
}

void Coordinator::welcome_worker(NodeId node, const Hello& hello) {
  if (is_set_aside(node)) {
    leaves(node);
  } else {
    queue_.worker_up(node, hello.site, hello.speed, !hello.occupied);
  }
  if (!hello.occupied) jobs_.take_back(node);
  for (const PathId id : queue_.paths_of(node)) {
    const PathEntry& path = queue_.path(id);
    if (path.phase != PathEntry::Phase::running) continue;
    const bool at_it = hello.task == TaskId{id, path.outer_step} && hello.epoch == path.epoch;
    if (!at_it) {
      question(id);
      continue;
    }
    lease(id);
    send_task(id, true);
  }
  if (hello.task.path == PathId{-1}) {
    given_.remove(node);
    send(node, Owners{});  // an answer, for one that had lost this coordinator
  } else if (given_.find(node) == nullptr) {
    // One that is committed, or that another is at: only its end is awaited. Without stores it is void.
    const PathEntry& path = queue_.path(hello.task.path);
    const bool counts = path.version == hello.task.outer_step + 1 && path.state_epoch == hello.epoch;
    Task task{.id = hello.task, .epoch = hello.epoch, .again = true, .owners = owners_of(hello.task.path)};
    const auto& holders = holders_.of(hello.task.path, path.version);
    if (counts) task.to_stores.assign(holders.begin(), holders.end());
    given_.set(node, {task.id, task.epoch, task.to_stores});
    send(node, std::move(task));
  }
}

void Coordinator::welcome_executor(NodeId node, const Hello& hello) {
  for (const auto& [phase, sizes] : resharding_.sizes()) send(node, resharding_.sizes(phase));
  ownership_.executor_up(node, hello.machine, hello.modules);
  for (const HeldModule& held : hello.modules) {
    if (held.epoch > 0) module_ready(node, {held.module, held.version, held.epoch, {}, held.settled, held.dropped});
  }
  if (!started_) return;
  settle_modules();  // what it has may be what a module waited for
  if (heard_of_all()) send(node, owned_by(node));
}

void Coordinator::welcome_store(NodeId node, const Hello& hello) {
  send(node, Release{retention_.released()});  // an answer in any case, for one that had lost this coordinator
  ownership_.store_up(node, hello.machine, hello.modules);
  for (const HeldState& state : hello.states) note_state(node, state);
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    const PathId id{p};
    const PathEntry& path = queue_.path(id);
    const auto& to = path.to_stores;
    const bool concerned = path.from_store == node || std::find(to.begin(), to.end(), node) != to.end();
    if (path.phase == PathEntry::Phase::in_question && concerned) ask(id, node);
    // It was away when earlier attempts were given up: one of them may wake yet.
    const Epoch lowest = path.phase == PathEntry::Phase::queued ? path.epoch + 1 : path.epoch;
    if (path.phase != PathEntry::Phase::in_question && path.epoch > 0 && lowest > 1) {
      send(node, QueryPath{id, path.outer_step, lowest});
    }
    drop_lost_part(id);
    if (path.phase != PathEntry::Phase::running || !members_.contains(path.worker) || path.worker_done) continue;
    const bool stranded = std::none_of(to.begin(), to.end(), [&](NodeId store) { return members_.contains(store); });
    if (concerned || stranded) send_task(id, true);
  }
  move_evaluations(node);
  replicate_all();
}

void Coordinator::replicate_all() {
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) replicate(PathId{p});
}

void Coordinator::lost(NodeId node) {
  // One that an earlier incarnation knew is lost even if it has not said hello to this one.
  const auto known = ledger_.state().members.find(node);
  if (known == ledger_.state().members.end()) return;
  const Role role = known->second;
  members_.remove(node);
  awaited_.erase(node);
  idle_evaluators_.erase(node);
  jobs_.take_back(node);
  if (role == Role::worker) lost_worker(node);
  if (role == Role::store) lost_store(node);
  if (role == Role::store || role == Role::executor) {
    ownership_.gone(node);
    settle_modules();
    if (finishing_) ask_for_model();
  }
}

/// A worker or evaluator has a notice. It is given nothing more, until it says hello anew; its job goes to another.
void Coordinator::leaves(NodeId node) {
  members_.leaves(node);
  queue_.worker_gone(node);
  idle_evaluators_.erase(node);
  jobs_.take_back(node);
}

void Coordinator::lost_worker(NodeId node) {
  queue_.worker_gone(node);
  if (const GivenTask* const given = given_.find(node)) {
    const PathId path = given->id.path;
    given_.remove(node);
    replicate(path);
  }
  for (const PathId path : queue_.paths_of(node)) {
    if (queue_.path(path).phase == PathEntry::Phase::running) question(path);
    if (queue_.path(path).phase == PathEntry::Phase::waiting) doubt_gradients(path);
  }
}

void Coordinator::lost_store(NodeId node) {
  holders_.gone(node);
  copying_.clear();  // what was sent by another store than this one is sent twice, at worst
  for (const auto& [worker, task] : given_.all()) spare_attempt(worker);
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    const PathId id{p};
    PathEntry& path = queue_.path(id);
    doubt_gradients(id);  // an executor may wait for this store
    const auto& to = path.to_stores;
    const bool concerned = path.from_store == node || std::find(to.begin(), to.end(), node) != to.end();
    if (path.phase == PathEntry::Phase::running && concerned) {
      if (path.worker_done) {
        question(id);  // what the store has told of it may be lost
      } else if (members_.contains(path.worker)) {
        send_task(id, true);
      }
    }
    drop_lost_part(id);
    if (const auto news = arrivals_.find(id); news != arrivals_.end()) {
      std::erase_if(news->second, [node](const Arrival& arrival) { return arrival.store == node; });
    }
    if (path.phase == PathEntry::Phase::in_question && path.asked.erase(node) > 0) answered(id);
    commit_if_complete(id);
  }
  move_evaluations(node);
  replicate_all();
}

/// A part that nobody has is trained anew, unless its store comes back first.
void Coordinator::drop_lost_part(PathId id) {
  PathEntry& path = queue_.path(id);
  if (path.inner_steps == 0 || path.phase == PathEntry::Phase::running || !heard_of_all()) return;
  const bool part_there = !holders_.of(id, path.outer_step, path.inner_steps).empty();
  const bool whole_there = path.version == 0 || !holders_.of(id, path.version).empty();
  if (part_there || !whole_there) return;
  path.inner_steps = 0;
  note_path(id);
}

/// An attempt that is not the newest any more, by a commit or by another attempt, need not wait for a store that is
/// away.
void Coordinator::spare_attempt(NodeId worker) {
  GivenTask& attempt = *given_.find(worker);
  const PathEntry& path = queue_.path(attempt.id.path);
  const bool current = path.phase == PathEntry::Phase::running && path.worker == worker &&
                       path.outer_step == attempt.id.outer_step && path.epoch == attempt.epoch;
  const auto away = [&](NodeId store) { return !members_.contains(store) && !awaited_.contains(store); };
  if (current || std::erase_if(attempt.to_stores, away) == 0) return;
  send(worker, Task{.id = attempt.id,
                    .epoch = attempt.epoch,
                    .again = true,
                    .to_stores = attempt.to_stores,
                    .owners = owners_of(attempt.id.path)});
}

void Coordinator::start_when_ready() {
  if (started_) return;
  const bool all = count(Role::executor) >= options_.executors && count(Role::store) >= options_.stores;
  const bool some = count(Role::executor) > 0 && count(Role::store) > 0;
  if (!all && !(some && seams_.compute.now() >= start_without_missing_at())) return;
  started_ = true;
  made_progress();
  if (ledger_.begun()) {
    if (all) check_nothing_missing();
    return;
  }
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) note_path(PathId{p});
  queue_.start(seams_.compute.now());
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    if (queue_.path(PathId{p}).phase == PathEntry::Phase::queued) queued(PathId{p});
  }
}

/// All executors and stores of a run that is begun anew as a whole are there: what they do not have is nowhere.
void Coordinator::check_nothing_missing() {
  constexpr const char* kRemedy = ", the journal says so; restore the storage of all nodes, or begin the run anew";
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    const std::int32_t version = queue_.path(PathId{p}).version;
    if (version > 0 && holders_.of(PathId{p}, version).empty()) {
      throw DataError("no store has version " + std::to_string(version) + " of " + text(PathId{p}) + kRemedy);
    }
  }
  send_owners(ownership_.settle());
  for (const ModuleId module : ownership_.modules()) {
    if (ownership_.owner(module).executor != NodeId{-1}) continue;
    throw DataError("no executor or store has version " + std::to_string(number(queue_.modules().version(module))) +
                    " of " + text(module) + kRemedy);
  }
}

/// A run does not wait for ever for an executor or a store that does not come.
Seconds Coordinator::start_without_missing_at() const { return began_at_ + 6 * plan_.config.liveness.limit; }

/// A coordinator that began anew decides once it has heard of all whom it knew: a store that has not said hello yet is
/// not one that is away.
bool Coordinator::heard_of_all() const {
  return started_ && (awaited_.empty() || seams_.compute.now() >= start_without_missing_at());
}

void Coordinator::settle_modules() {
  if (!heard_of_all()) return;
  Ownership::Changes changes = ownership_.settle();
  if (!std::exchange(owners_told_, true)) {
    // What an earlier incarnation told them of copies is not known here.
    changes.executors.insert(members_.with(Role::executor).begin(), members_.with(Role::executor).end());
  }
  send_owners(changes);
}

/// An executor's modules, with what is settled of them: a drop may be in none of their versions yet.
OwnModules Coordinator::owned_by(NodeId executor) const {
  OwnModules own{ownership_.list(executor), retention_.released()};
  for (OwnModule& each : own.modules) {
    for (const auto& [path, outer_step] : queue_.modules().settled(each.module))
      each.settled.push_back({path, outer_step});
  }
  return own;
}

/// Without rounds, tells those who have the module which versions tasks began with that are open, or whose contribution
/// is not settled.
void Coordinator::keep_bases(ModuleId module) {
  if (plan_.policy.rounds) return;
  std::set<Version> bases;
  for (const PathId id : plan_.topology.paths_through(module)) {
    const PathEntry& path = queue_.path(id);
    if (!path.base.empty()) bases.insert(version_in(path.base, module));
    if (queue_.modules().settled(module, id) < path.version) bases.insert(version_in(path.state_base, module));
  }
  const KeepVersions keep{module, queue_.modules().version(module), {bases.begin(), bases.end()}};
  for (const Role role : {Role::executor, Role::store}) {
    for (const NodeId node : members_.with(role)) {
      if (role == Role::store || node == ownership_.owner(module).executor) send(node, keep);
    }
  }
}

void Coordinator::send_owners(const Ownership::Changes& changes) {
  std::vector<Owner> again;
  for (const Owner& owner : changes.owners) {
    ledger_.note(owner);
    if (owner.epoch == 1) continue;  // the first owner: nothing was sent to another
    again.push_back(owner);
    for (const PathId path : plan_.topology.paths_through(owner.module)) {
      if (queue_.path(path).version > queue_.modules().settled(owner.module, path)) doubts_.emplace(owner.module, path);
    }
  }
  for (const NodeId executor : changes.executors) {
    if (members_.contains(executor)) send(executor, owned_by(executor));
  }
  if (again.empty()) return;
  for (const Role role : {Role::evaluator, Role::worker}) {
    for (const NodeId node : members_.with(role)) send(node, Owners{again});
  }
}

}  // namespace dipaco
