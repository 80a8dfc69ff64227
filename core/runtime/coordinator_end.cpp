#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/runtime/coordinator.hpp"
#include "core/runtime/module_files.hpp"
#include "core/runtime/path_values.hpp"

namespace dipaco {

void Coordinator::note_evaluation(PathId path, std::int32_t version) {
  const bool at_end = plan_.learner != nullptr && trained_ && version == last_version();
  if ((!at_end && !evaluated_at(plan_, version)) || closed_.contains(version)) return;
  const auto scored = scores_.find(version);
  if (scored != scores_.end() && scored->second.contains(path)) return;
  to_evaluate_.insert({version, path});
}

/// Evaluations wait for workers that have no task. Before the next version is due they go first: what they need is kept
/// for them.
bool Coordinator::evaluations_overdue() const {
  return !to_evaluate_.empty() &&
         queue_.lowest_version() >= to_evaluate_.begin()->version + plan_.config.evaluate.every;
}

void Coordinator::give_evaluations() {
  for (auto next = to_evaluate_.begin(); next != to_evaluate_.end();) {
    std::optional<NodeId> node;
    if (count(Role::evaluator) == 0) {
      node = queue_.take_worker();
    } else if (!idle_evaluators_.empty()) {
      node = idle_evaluators_.extract(idle_evaluators_.begin()).value();
    }
    if (!node) return;
    if (send_evaluation(*node, *next)) {
      next = to_evaluate_.erase(next);
      continue;
    }
    // What it needs is at a store that is away: another first.
    members_.at(*node).role == Role::worker ? queue_.worker_free(*node)
                                            : static_cast<void>(idle_evaluators_.insert(*node));
    ++next;
  }
}

/// False where the path's own modules are at no store that is there.
bool Coordinator::send_evaluation(NodeId node, const Evaluation& evaluation) {
  const auto& stores = holders_.of(evaluation.path, evaluation.version);
  const bool specific = specific_size(plan_.topology, plan_.layout, evaluation.path) > 0;
  if (specific && stores.empty()) return false;
  const NodeId store = stores.empty() ? NodeId{-1} : nearest(stores, members_.at(node).site);
  evaluating_[node] = {evaluation, store};
  send(node, Evaluate{evaluation.path, evaluation.version, store, owners_of(evaluation.path)});
  return true;
}

/// The store was lost, or has come back: what waits for it is asked of one that is there.
void Coordinator::move_evaluations(NodeId store) {
  const auto at_work = evaluating_;
  for (const auto& [node, at] : at_work) {
    const bool concerned = at.store == store || (at.store != NodeId{-1} && !members_.contains(at.store));
    if (concerned) send_evaluation(node, at.evaluation);
  }
}

void Coordinator::take_back_evaluation(NodeId node) {
  if (const auto at = evaluating_.extract(node)) to_evaluate_.insert(at.mapped().evaluation);
}

void Coordinator::evaluated(NodeId node, const Evaluated& message) {
  const auto mine = evaluating_.find(node);
  if (mine != evaluating_.end() && mine->second.evaluation == Evaluation{message.version, message.path})
    evaluating_.erase(mine);
  for (auto other = evaluating_.begin(); other != evaluating_.end();) {
    // Given out again when its first evaluator was lost, which has woken: the second one need not end it.
    const bool same = other->second.evaluation == Evaluation{message.version, message.path};
    if (same) queue_.worker_free(other->first);
    if (same && members_.at(other->first).role == Role::evaluator) idle_evaluators_.insert(other->first);
    other = same ? evaluating_.erase(other) : std::next(other);
  }
  const bool free = !evaluating_.contains(node) && !attempts_.contains(node);
  if (free && members_.at(node).role == Role::evaluator) idle_evaluators_.insert(node);
  if (free) queue_.worker_free(node);
  auto& scores = scores_[message.version];
  if (closed_.contains(message.version) || scores.contains(message.path)) return;
  made_progress();
  to_evaluate_.erase({message.version, message.path});
  scores.emplace(message.path, Score{message.nats, message.tokens, message.bytes, message.documents});
  ledger_.note(message);
  if (scores.size() == static_cast<std::size_t>(plan_.topology.paths())) close_evaluation(message.version);
}

void Coordinator::close_evaluation(std::int32_t version) {
  if (version == last_version()) return;  // its scores are told by path
  Score all;
  for (const auto& [path, score] : scores_[version]) all += score;  // by path: floating-point sums in one order
  scores_.erase(version);
  closed_.insert(version);
  ledger_.note(ClosedRecord{version, all.nats, all.tokens, all.bytes, all.documents});
  result_.evaluations.emplace_back(version, all);
  const std::int32_t before = released_;
  advance_released();
  if (released_ == before) return;
  for (const auto& [node, member] : members_) {
    if (member.role == Role::executor || member.role == Role::store) send(node, Release{released_});
  }
}

/// Versions need not be kept for evaluations up to the last of those that are all closed.
void Coordinator::advance_released() {
  for (std::int32_t next = released_ + 1; next < last_version(); ++next) {
    if (!evaluated_at(plan_, next)) continue;
    if (!closed_.contains(next)) break;
    released_ = next;
  }
}

void Coordinator::note_end() {
  if (!trained_ && queue_.all_done()) {
    trained_ = true;
    result_.duration = seams_.compute.now();
    ledger_.note(TrainedRecord{result_.duration.count()});
    for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) note_evaluation(PathId{p}, last_version());
  }
}

void Coordinator::finish() {
  finishing_ = true;
  std::sort(result_.evaluations.begin(), result_.evaluations.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [path, score] : scores_[last_version()]) result_.scores.push_back(score);
  if (const auto& finished = ledger_.state().finished) {
    result_.parameters_hash = finished->parameters_hash;
    result_.mixed_arithmetic = finished->mixed_arithmetic;
    say_goodbye();
  } else if (plan_.learner == nullptr) {
    ledger_.note(FinishedRecord{});
    say_goodbye();
  } else {
    ask_for_hashes();
  }
}

/// Asks the owners of modules whose hashes are lacking: again after each loss.
void Coordinator::ask_for_hashes() {
  std::set<NodeId> executors;
  std::map<NodeId, std::vector<PathId>> stores;
  for (const ModuleId module : plan_.topology.modules()) {
    if (hashes_.contains(module)) continue;
    if (!plan_.topology.path_specific(module)) {
      if (ownership_.confirmed(module)) executors.insert(ownership_.owner(module).executor);
      continue;
    }
    const PathId path = plan_.topology.paths_through(module).front();
    const auto& holders = holders_.of(path, last_version());
    if (holders.empty()) continue;
    auto& paths = stores[*holders.begin()];
    if (paths.empty() || paths.back() != path) paths.push_back(path);
  }
  for (const NodeId executor : executors) send(executor, Finish{last_version(), {}});
  for (auto& [store, paths] : stores) send(store, Finish{last_version(), std::move(paths)});
}

void Coordinator::collect_hashes(const Finished& finished) {
  if (!finishing_ || over_) return;
  for (const auto& [module, hash] : finished.hashes) hashes_[module] = hash;
  if (hashes_.size() < plan_.topology.modules().size()) return;
  std::string all;
  for (const auto& [module, hash] : hashes_) all += text(module) + " " + hash + "\n";
  result_.parameters_hash = hash_hex(all);
  ledger_.note(FinishedRecord{result_.parameters_hash, result_.mixed_arithmetic});
  say_goodbye();
}

/// To all who ever said hello in this run of all nodes: the journal says that it is over, so that a coordinator that
/// ends in the middle of this says it again.
void Coordinator::say_goodbye() {
  std::set<NodeId> all;
  for (const auto& [node, member] : members_) all.insert(node);
  if (seams_.transport.incarnation() > 0) {
    for (const auto& [node, role] : ledger_.state().members) all.insert(node);
  }
  for (const NodeId node : all) send(node, Goodbye{});
  over_ = true;
}

RunProgress Coordinator::progress() const {
  double loss = 0;
  double known = 0;
  for (const double path : path_loss_) {
    if (path == 0) continue;  // nothing committed yet
    loss += path;
    ++known;
  }
  if (known > 0) loss /= known;
  return {.now = seams_.compute.now(),
          .tasks_committed = queue_.committed_tasks(),
          .tasks = plan_.topology.paths() * plan_.config.outer.steps,
          .outer_step = queue_.lowest_version(),
          .loss = loss};
}

void Coordinator::no_progress() const {
  const auto up = [&](Role role) { return std::to_string(count(role)); };
  std::string what = "no progress for " + format_number(plan_.config.liveness.deadline.count()) +
                     " s: " + up(Role::worker) + " workers, " + up(Role::executor) + " of " +
                     std::to_string(options_.executors) + " executors and " + up(Role::store) + " of " +
                     std::to_string(options_.stores) + " stores are there";
  for (std::int32_t p = 0; started_ && p < plan_.topology.paths(); ++p) {
    const PathId id{p};
    const PathEntry& path = queue_.path(id);
    if (path.phase == PathEntry::Phase::done) continue;
    what += "; " + text(id) + ", outer step " + std::to_string(path.version);
    const auto stores = [&] {
      std::string names;
      for (const NodeId store : path.to_stores) names += (names.empty() ? "" : ", ") + std::to_string(index(store));
      return names.empty() ? std::string("a store") : "store " + names;
    };
    if (path.phase == PathEntry::Phase::queued) {
      what += reachable(id) ? ", waits for a worker" : ", waits for " + stores() + ", which has its state";
    }
    if (path.phase == PathEntry::Phase::running) what += ", waits for worker " + std::to_string(index(path.worker));
    if (path.phase == PathEntry::Phase::in_question) what += ", waits for the answer of " + stores();
    const auto missing = queue_.missing_modules(id);
    if (!missing.empty()) {
      const NodeId owner = ownership_.owner(missing.front()).executor;
      what += ", waits for " + text(missing.front()) +
              (owner == NodeId{-1} ? ", which no executor has" : " of executor " + std::to_string(index(owner)));
    }
    what += " since " + format_number(path.since.count()) + " s";
    break;
  }
  if (trained_) {
    what += "; training has ended, " + std::to_string(to_evaluate_.size() + evaluating_.size()) + " evaluations and " +
            std::to_string(plan_.topology.modules().size() - hashes_.size()) + " modules' hashes are awaited";
  }
  throw RunError(static_cast<int>(ExitStatus::no_progress), what);
}

}  // namespace dipaco
