#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/coordinator/coordinator.hpp"
#include "core/state/module_files.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void Coordinator::note_end() {
  if (!trained_ && queue_.all_done()) {
    trained_ = true;
    result_.duration = seams_.compute.now();
    ledger_.note(TrainedRecord{result_.duration.count()});
    for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) want_reached(PathId{p});
  }
  want_results();
}

void Coordinator::finish() {
  finishing_ = true;
  std::sort(result_.evaluations.begin(), result_.evaluations.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [path, score] : results_) result_.scores.push_back(score);
  result_.routing_hash = resharding_.hash();
  for (const auto& [module, known] : ledger_.state().modules) {
    result_.contributions.dropped += std::ssize(known.dropped);
    for (const auto& [path, outer_step] : known.settled) {
      result_.contributions.settled += plan_.timetable.tasks_before(path, outer_step);
    }
  }
  if (const auto& finished = ledger_.state().finished) {
    result_.parameters_hash = finished->parameters_hash;
    result_.mixed_arithmetic = finished->mixed_arithmetic;
    say_goodbye();
  } else if (plan_.learner == nullptr) {
    ledger_.note(FinishedRecord{});
    say_goodbye();
  } else {
    ask_for_model();
  }
}

/// What is not known to be kept of the model that the run leaves: the last version of each module, and those that are
/// some path's best.
Coordinator::ModelParts Coordinator::lacking() const {
  ModelParts parts;
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    const std::int32_t best = best_version(PathId{p});
    for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
      const ModuleId module = plan_.topology.module(PathId{p}, l);
      if (!hashes_.contains(module)) parts.emplace(std::pair(module, last_version()), PathId{p});
      const bool kept = best == last_version() || best_kept_.contains({module, best});
      if (!kept) parts.emplace(std::pair(module, best), PathId{p});
    }
  }
  return parts;
}

/// Who has this version of the module of that path; nullopt where nobody who is there does. A path's own modules lie in
/// its states, of which the last and an earlier one may be in different stores.
std::optional<NodeId> Coordinator::holder(ModuleId module, std::int32_t version, PathId path) const {
  if (!plan_.topology.path_specific(module)) {
    if (!ownership_.confirmed(module)) return std::nullopt;
    return ownership_.owner(module).executor;
  }
  const std::int32_t state = plan_.timetable.state_version(path, version);
  const auto& holders = holders_.of(path, state);
  // The prepared start, of a path that was never drawn, is everywhere.
  const auto near = state == 0 ? members_.stores_near(SiteId{0}) : std::vector<NodeId>(holders.begin(), holders.end());
  return near.empty() ? std::nullopt : std::optional(near.front());
}

/// Asks for what is lacking of the model: again after each loss.
void Coordinator::ask_for_model() {
  struct Parts {
    std::set<PathId> paths;
    std::map<PathId, std::int32_t> best;
    Base modules;
  };
  std::map<NodeId, Parts> requests;
  for (const auto& [part, path] : lacking()) {
    const auto& [module, version] = part;
    const auto node = holder(module, version, path);
    if (!node) continue;
    Parts& parts = requests[*node];
    if (version != last_version()) {
      parts.best.emplace(path, version);
    } else if (plan_.topology.path_specific(module)) {
      parts.paths.insert(path);
    } else {
      parts.modules.push_back({module, queue_.modules().version(module)});
    }
  }
  for (const auto& [node, parts] : requests) {
    Finish request{last_version(), {parts.paths.begin(), parts.paths.end()}, {}, parts.modules};
    for (const auto& [path, version] : parts.best) request.best.push_back({path, version});
    send(node, std::move(request));
  }
}

void Coordinator::collect_model(const Finished& finished) {
  if (!finishing_ || over_) return;
  for (const auto& [module, hash] : finished.hashes) hashes_[module] = hash;
  for (const HeldModule& best : finished.best) best_kept_.emplace(best.module, number(best.version));
  if (!lacking().empty()) return;
  std::string all;
  for (const auto& [module, hash] : hashes_) all += text(module) + " " + hash + "\n";
  for (const auto& [path, best] : best_) all += text(path) + " version " + std::to_string(best.version) + "\n";
  result_.parameters_hash = hash_hex(all);
  std::string versions;  // which of the modules beside it are each path's (docs/evaluate.md)
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    versions += std::to_string(p) + " " + std::to_string(best_version(PathId{p})) + "\n";
  }
  seams_.storage.put("model/paths", std::as_bytes(std::span(versions)));
  ledger_.note(FinishedRecord{result_.parameters_hash, result_.mixed_arithmetic});
  say_goodbye();
}

/// To all who ever said hello in this run of all nodes: the journal says that it is over, so that a coordinator that
/// ends in the middle of this says it again.
void Coordinator::say_goodbye() {
  std::set<NodeId> all;
  for (const auto& [node, member] : members_.all()) all.insert(node);
  if (seams_.transport.incarnation() > 0) {
    for (const auto& [node, role] : ledger_.state().members) all.insert(node);
  }
  for (const NodeId node : all) send(node, Goodbye{});
  over_ = true;
}

RunProgress Coordinator::progress() const {
  RunProgress progress{.now = seams_.compute.now(),
                       .tasks_committed = queue_.committed_tasks(),
                       .tasks = plan_.timetable.tasks(),
                       .outer_step = queue_.lowest_version(),
                       .loss = losses_.mean()};
  constexpr std::size_t kTold = 20;
  for (std::int32_t p = 0; options_.tell_waiting && started_ && p < plan_.topology.paths(); ++p) {
    if (progress.waiting_for.size() == kTold) break;
    if (queue_.path(PathId{p}).phase != PathEntry::Phase::done) progress.waiting_for.push_back(waits_for(PathId{p}));
  }
  return progress;
}

/// What a path that is not done waits for, of whom and since when.
std::string Coordinator::waits_for(PathId id) const {
  const PathEntry& path = queue_.path(id);
  std::string what = text(id) + ", outer step " + std::to_string(path.outer_step);
  const auto stores = [&] {
    std::string names;
    for (const NodeId store : path.to_stores) names += (names.empty() ? "" : ", ") + std::to_string(index(store));
    return names.empty() ? std::string("a store") : "store " + names;
  };
  if (path.phase == PathEntry::Phase::queued) {
    const std::int32_t phase = plan_.timetable.phase_of(path.outer_step);
    what += !resharding_.ready(phase) ? ", waits for the shards of phase " + std::to_string(phase)
            : reachable(id)           ? ", waits for a worker"
                                      : ", waits for " + stores() + ", which has its state";
  }
  if (path.phase == PathEntry::Phase::running) what += ", waits for worker " + std::to_string(index(path.worker));
  if (path.phase == PathEntry::Phase::in_question) what += ", waits for the answer of " + stores();
  const auto missing = queue_.missing_modules(id);
  if (!missing.empty()) {
    const NodeId owner = ownership_.owner(missing.front()).executor;
    what += ", waits for " + text(missing.front()) +
            (owner == NodeId{-1} ? ", which no executor has" : " of executor " + std::to_string(index(owner)));
  }
  return what + " since " + format_number(path.since.count()) + " s";
}

void Coordinator::tell_waiting() {
  if (!options_.tell_waiting || seams_.compute.now() < told_at_ + kBetweenTold) return;
  told_at_ = seams_.compute.now();
  options_.progress(progress());
}

void Coordinator::no_progress() const {
  const auto up = [&](Role role) { return std::to_string(count(role)); };
  const auto aside =
      std::ranges::count_if(members_.with(Role::worker), [&](NodeId node) { return is_set_aside(node); });
  std::string what = "no progress for " + format_number(plan_.config.liveness.deadline.count()) +
                     " s: " + up(Role::worker) + " workers, " +
                     (aside > 0 ? std::to_string(aside) + " of them set aside, " : "") + up(Role::executor) + " of " +
                     std::to_string(options_.executors) + " executors and " + up(Role::store) + " of " +
                     std::to_string(options_.stores) + " stores are there";
  for (std::int32_t p = 0; started_ && p < plan_.topology.paths(); ++p) {
    if (queue_.path(PathId{p}).phase == PathEntry::Phase::done) continue;
    what += "; " + waits_for(PathId{p});
    break;
  }
  if (trained_) {
    what += "; training has ended, " + std::to_string(jobs_.waiting().size() + jobs_.given().size()) +
            " evaluations and " + std::to_string(lacking().size()) + " parts of the model are awaited";
  }
  throw RunError(static_cast<int>(ExitStatus::no_progress), what);
}

}  // namespace dipaco
