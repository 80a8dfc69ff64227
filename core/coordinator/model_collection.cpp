#include "core/coordinator/model_collection.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/hash.hpp"
#include "core/coordinator/known/contribution_counts.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void ModelCollection::finish() {
  finishing_ = true;
  RunResult& result = run_.result;
  std::sort(result.evaluations.begin(), result.evaluations.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [path, score] : evaluations_.results()) result.scores.push_back(score);
  result.routing_hash = run_.resharding.hash();
  result.inner_steps = run_.queue.paths().trained();
  result.contributions = count_contributions(run_);
  if (const auto& finished = run_.ledger.state().finished) {
    result.parameters_hash = finished->parameters_hash;
    result.mixed_arithmetic = finished->mixed_arithmetic;
    say_goodbye();
  } else if (!run_.plan.learner->learns()) {
    run_.ledger.note(FinishedRecord{});
    say_goodbye();
  } else {
    ask_again();
  }
}

/// What is not known to be kept of the model that the run leaves: the last version of each module, and those that are
/// some path's best.
ModelCollection::Parts ModelCollection::lacking() const {
  Parts parts;
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) {
    const std::int32_t best = evaluations_.best_version(PathId{p});
    const std::int32_t last = run_.last_version(PathId{p});
    for (std::int32_t l = 0; l < run_.plan.topology.levels(); ++l) {
      const ModuleId module = run_.plan.topology.whole(run_.plan.topology.module(PathId{p}, l));
      if (!hashes_.contains(module)) parts.emplace(std::pair(module, last_of(module, PathId{p})), PathId{p});
      const bool kept = best == last || best_kept_.contains({module, best});
      if (!kept) parts.emplace(std::pair(module, best), PathId{p});
    }
  }
  return parts;
}

/// The version that stands for the module's last: of a path's own module the path's.
std::int32_t ModelCollection::last_of(ModuleId module, PathId path) const {
  return run_.plan.topology.path_specific(module) ? run_.last_version(path) : run_.last_version();
}

/// Who has this version of the module of that path; nullopt where nobody who is there does. A path's own modules lie in
/// its states, of which the last and an earlier one may be in different stores.
std::optional<NodeId> ModelCollection::holder(ModuleId module, std::int32_t version, PathId path) const {
  if (!run_.plan.topology.path_specific(module)) {
    if (!run_.ownership.confirmed(module)) return std::nullopt;
    return run_.ownership.owner(module).executor;
  }
  const std::int32_t state = run_.plan.timetable.state_version(path, version);
  const auto& holders = run_.holders.of(path, state);
  // The prepared start, of a path that was never drawn, is everywhere.
  const auto near =
      state == 0 ? run_.members.stores_near(SiteId{0}) : std::vector<NodeId>(holders.begin(), holders.end());
  return near.empty() ? std::nullopt : std::optional(near.front());
}

void ModelCollection::ask_again() {
  if (!finishing_) return;
  struct Wanted {
    std::map<PathId, std::int32_t> paths;
    std::map<PathId, std::int32_t> best;
    Base modules;
  };
  std::map<NodeId, Wanted> requests;
  for (const auto& [part, path] : lacking()) {
    const auto& [module, version] = part;
    const auto node = holder(module, version, path);
    if (!node) continue;
    Wanted& wanted = requests[*node];
    if (version != last_of(module, path)) {
      wanted.best.emplace(path, version);
    } else if (run_.plan.topology.path_specific(module)) {
      wanted.paths.insert({path, version});
    } else {
      wanted.modules.push_back({module, run_.queue.modules().version(module)});
    }
  }
  for (const auto& [node, wanted] : requests) {
    Finish request{.version = run_.last_version(), .modules = wanted.modules};
    for (const auto& [path, version] : wanted.paths) request.paths.push_back({path, version});
    for (const auto& [path, version] : wanted.best) request.best.push_back({path, version});
    run_.send(node, std::move(request));
  }
}

void ModelCollection::collect(const Finished& finished) {
  if (!finishing_ || over_) return;
  for (const auto& [module, hash] : finished.hashes) hashes_[module] = hash;
  for (const HeldModule& best : finished.best) best_kept_.emplace(best.module, number(best.version));
  if (!lacking().empty()) return;
  std::string all = lines_of(hashes_);
  for (const auto& [path, best] : evaluations_.best()) {
    all += text(path) + " version " + std::to_string(best.version) + "\n";
  }
  run_.result.parameters_hash = hash_hex(all);
  std::string versions;  // which of the modules beside it are each path's (docs/evaluate.md)
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) {
    const std::int32_t version = evaluations_.best_version(PathId{p});
    const bool last = version == run_.last_version(PathId{p});
    versions += std::to_string(p) + " " + std::to_string(last ? run_.last_version() : version) + "\n";
  }
  run_.seams.storage.put("model/paths", std::as_bytes(std::span(versions)));
  run_.order.leave();
  run_.ledger.note(FinishedRecord{run_.result.parameters_hash, run_.result.mixed_arithmetic});
  say_goodbye();
}

/// To all who ever said hello in this run of all nodes: the journal says that it is over, so that a coordinator that
/// ends in the middle of this says it again.
void ModelCollection::say_goodbye() {
  std::set<NodeId> all;
  for (const auto& [node, member] : run_.members.all()) all.insert(node);
  if (run_.seams.transport.incarnation() > 0) {
    for (const auto& [node, role] : run_.ledger.state().members) all.insert(node);
  }
  for (const NodeId node : all) run_.send(node, Goodbye{});
  over_ = true;
}

}  // namespace dipaco
