#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/runtime/coordinator.hpp"
#include "core/runtime/deadlines.hpp"
#include "core/runtime/path_values.hpp"

namespace dipaco {
namespace {

/// A lease lasts so many times the task's expected computation, so that only what is stuck outlives it.
constexpr double kLeaseFactor = 10.0;

template <class Members>
std::int32_t count(const Members& members, Role role) {
  return static_cast<std::int32_t>(
      std::count_if(members.begin(), members.end(), [role](const auto& m) { return m.second.role == role; }));
}

}  // namespace

void Coordinator::start_when_ready() {
  if (started_ || count(members_, Role::executor) < options_.executors ||
      count(members_, Role::store) < options_.stores) {
    return;
  }
  started_ = true;
  // Largest modules first, each to the executor with the least: nobody owns much more than another.
  std::vector<ModuleId> modules;
  for (const ModuleId module : plan_.topology.modules()) {
    if (!plan_.topology.path_specific(module)) modules.push_back(module);
  }
  const auto size = [&](ModuleId m) { return plan_.charged.levels[static_cast<std::size_t>(m.level)].size; };
  std::stable_sort(modules.begin(), modules.end(), [&](ModuleId a, ModuleId b) { return size(a) > size(b); });
  std::map<NodeId, std::pair<std::uint64_t, OwnModules>> owners;
  for (const auto& [node, member] : members_) {
    if (member.role == Role::executor) owners[node];
  }
  for (const ModuleId module : modules) {
    const auto least = std::min_element(owners.begin(), owners.end(),
                                        [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    check(least != owners.end(), "a run whose paths share modules has an executor");
    least->second.first += size(module);
    least->second.second.modules.push_back(module);
    executor_of_[module] = least->first;
  }
  for (auto& [node, owned] : owners) seams_.transport.send(node, make_message(std::move(owned.second)));
  queue_.start(seams_.compute.now());
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) record(EventKind::task_queued, PathId{p}, NodeId{-1});
}

void Coordinator::advance(PathId path) {
  if (queue_.advance(path, seams_.compute.now())) queued(path);
  note_end();
}

void Coordinator::queued(PathId path) {
  record(EventKind::task_queued, path, NodeId{-1});
  const PathEntry& entry = queue_.path(path);
  const auto every = plan_.config.evaluate.every;
  if (plan_.learner != nullptr && every > 0 && entry.version % every == 0) {
    to_evaluate_.emplace(Evaluation{path, entry.version}, entry.store);
  }
}

void Coordinator::note_end() {
  if (trained_ || !queue_.all_done()) return;
  trained_ = true;
  result_.duration = seams_.compute.now();
  if (plan_.learner == nullptr) return;
  const auto last = static_cast<std::int32_t>(plan_.config.outer.steps);
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    to_evaluate_.emplace(Evaluation{PathId{p}, last}, queue_.path(PathId{p}).store);
  }
}

void Coordinator::assign() {
  if (!started_) return;
  while (const auto assignment = queue_.assign(seams_.compute.now())) send_task(*assignment);
}

void Coordinator::send_task(const Assignment& assignment) {
  PathEntry& path = queue_.path(assignment.path);
  const Member& worker = members_.at(assignment.worker);
  path.to_store = store_for(worker.site);
  record(EventKind::task_assigned, assignment.path, assignment.worker);
  const double steps = static_cast<double>(plan_.config.inner.steps - path.inner_steps);
  const Seconds expected(worker.speed > 0 ? steps * plan_.inner_step_cost.value / worker.speed : 3600.0);
  const Bytes moved{4 * 10 * plan_.charged.size};  // modules, path state in and out
  leases_.push({seams_.compute.now() + kLeaseFactor * expected + answer_deadline(plan_.config.liveness, moved),
                assignment.path, path.version, path.epoch});
  seams_.transport.send(assignment.worker, make_message(Task{.id = {assignment.path, path.version},
                                                             .epoch = path.epoch,
                                                             .first_inner_step = path.inner_steps,
                                                             .from_store = path.store,
                                                             .to_store = path.to_store,
                                                             .executors = executors_of(assignment.path)}));
}

void Coordinator::question(PathId path) {
  const PathEntry& entry = queue_.path(path);
  const Epoch next = queue_.question(path, seams_.compute.now());
  seams_.transport.send(entry.to_store, make_message(QueryPath{path, entry.version, next}));
}

void Coordinator::make_gradients_again(PathId path) {
  const PathEntry& entry = queue_.path(path);
  if (entry.version == 0) return;
  for (const ModuleId module : queue_.missing_modules(path)) {
    seams_.transport.send(executor_of_.at(module),
                          make_message(GradientsLost{module, {path, entry.version - 1}, entry.store}));
  }
}

void Coordinator::expire_leases() {
  while (!leases_.empty() && leases_.top().ends <= seams_.compute.now()) {
    const Lease lease = leases_.top();
    leases_.pop();
    const PathEntry& path = queue_.path(lease.path);
    const bool current =
        path.phase == PathEntry::Phase::running && path.version == lease.outer_step && path.epoch == lease.epoch;
    if (current) question(lease.path);
  }
}

void Coordinator::give_evaluations() {
  while (!to_evaluate_.empty()) {
    std::optional<NodeId> node;
    if (options_.evaluators == 0) {
      node = queue_.take_worker();
    } else if (!idle_evaluators_.empty()) {
      node = idle_evaluators_.extract(idle_evaluators_.begin()).value();
    }
    if (!node) return;
    const auto [evaluation, store] = *to_evaluate_.begin();
    to_evaluate_.erase(to_evaluate_.begin());
    evaluating_[*node] = {evaluation, store};
    seams_.transport.send(
        *node, make_message(Evaluate{evaluation.path, evaluation.version, store, executors_of(evaluation.path)}));
  }
}

void Coordinator::close_evaluation(std::int32_t version) {
  Score all;
  std::vector<Score> paths;
  for (const auto& [path, score] : scores_[version]) {  // by path: floating-point sums in one order
    all += score;
    paths.push_back(score);
  }
  scores_.erase(version);
  if (version == plan_.config.outer.steps) {
    result_.scores = std::move(paths);
    return;
  }
  result_.evaluations.emplace_back(version, all);
  for (const auto& [node, member] : members_) {
    if (member.role == Role::executor || member.role == Role::store) {
      seams_.transport.send(node, make_message(Release{version}));
    }
  }
}

void Coordinator::finish() {
  finishing_ = true;
  std::sort(result_.evaluations.begin(), result_.evaluations.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::map<NodeId, std::vector<PathId>> owned;
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) owned[queue_.path(PathId{p}).store].push_back(PathId{p});
  for (const auto& [node, member] : members_) {
    if (member.role == Role::executor || member.role == Role::store) unfinished_.insert(node);
    seams_.transport.send(node, make_message(Finish{static_cast<std::int32_t>(plan_.config.outer.steps), owned[node]}));
  }
}

void Coordinator::collect_hash(const Finished& finished) {
  for (const auto& [module, hash] : finished.hashes) hashes_[module] = hash;
}

void Coordinator::seal_hash() {
  if (plan_.learner == nullptr) return;
  check(hashes_.size() == plan_.topology.modules().size(), "every module has an owner that hashes it");
  std::string all;
  for (const auto& [module, hash] : hashes_) all += text(module) + " " + hash + "\n";
  result_.parameters_hash = hash_hex(all);
}

NodeId Coordinator::store_for(SiteId site) const {
  std::optional<NodeId> any;
  for (const auto& [node, member] : members_) {
    if (member.role != Role::store) continue;
    if (member.site == site) return node;
    if (!any) any = node;
  }
  check(any.has_value(), "a run has a store");
  return *any;
}

std::vector<NodeId> Coordinator::executors_of(PathId path) const {
  std::vector<NodeId> executors;
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const auto found = executor_of_.find(plan_.topology.module(path, l));
    executors.push_back(found == executor_of_.end() ? NodeId{-1} : found->second);
  }
  return executors;
}

void Coordinator::no_progress() const {
  const auto up = [&](Role role) { return std::to_string(count(members_, role)); };
  std::string what = "no progress for " + std::to_string(plan_.config.liveness.deadline.count()) +
                     " s: " + up(Role::worker) + " workers, " + up(Role::executor) + " of " +
                     std::to_string(options_.executors) + " executors and " + up(Role::store) + " of " +
                     std::to_string(options_.stores) + " stores are there";
  for (std::int32_t p = 0; started_ && p < plan_.topology.paths(); ++p) {
    const PathEntry& path = queue_.path(PathId{p});
    if (path.phase == PathEntry::Phase::done) continue;
    what += "; " + text(PathId{p}) + ", outer step " + std::to_string(path.version);
    const auto missing = queue_.missing_modules(PathId{p});
    if (path.phase == PathEntry::Phase::queued) what += ", waits for a worker";
    if (path.phase == PathEntry::Phase::running) what += ", waits for worker " + std::to_string(index(path.worker));
    if (path.phase == PathEntry::Phase::in_question)
      what += ", waits for store " + std::to_string(index(path.to_store));
    if (!missing.empty()) what += ", waits for " + text(missing.front());
    what += " since " + std::to_string(path.since.count()) + " s";
    break;
  }
  throw RunError(static_cast<int>(ExitStatus::no_progress), what);
}

void Coordinator::record(EventKind kind, PathId path, NodeId node) const {
  const PathEntry& entry = queue_.path(path);
  seams_.log.record({.time = seams_.compute.now(),
                     .kind = kind,
                     .attempt = static_cast<std::int16_t>(entry.epoch),
                     .node = node,
                     .path = path,
                     .outer_step = entry.version,
                     .inner_steps = entry.inner_steps});
}

}  // namespace dipaco
