#include "core/coordinator/known/deadlocks.hpp"

#include <utility>

namespace dipaco {

void Deadlocks::look() {
  const SyncPolicy& policy = run_.plan.policy;
  if (policy.rounds || !policy.gathers || !run_.given.all().empty() || !all_wait()) return;
  bool agreed = true;
  std::vector<ModuleId> modules;
  for (auto& [module, tasks] : unsettled()) {
    agreed = ask(module, std::move(tasks)) && agreed;
    modules.push_back(module);
  }
  for (const ModuleId module : modules) {
    if (!agreed) return;
    NobodyElse& word = asked_.at(module).word;
    if (!std::exchange(word.agreed, true)) run_.send(run_.ownership.owner(module).executor, word);
  }
}

/// Asks the module's owner, if it was not asked just this. @returns whether it waits and has all there is
bool Deadlocks::ask(ModuleId module, std::vector<TaskId> tasks) {
  if (!run_.ownership.confirmed(module)) return false;  // it will speak
  const Owner& owner = run_.ownership.owner(module);
  NobodyElse word{module, run_.queue.modules().version(module), owner.epoch, std::move(tasks)};
  const auto known = asked_.find(module);
  if (known != asked_.end()) {
    word.agreed = known->second.word.agreed;
    if (known->second.word == word) return known->second.waits;
    word.agreed = false;
  }
  run_.send(owner.executor, word);
  asked_.insert_or_assign(module, Asked{std::move(word)});
  return false;
}

void Deadlocks::waits(const NobodyElse& answer) {
  const auto asked = asked_.find(answer.module);
  if (asked != asked_.end() && asked->second.word == answer) asked->second.waits = true;
}

bool Deadlocks::all_wait() const {
  const PathTable& paths = run_.queue.paths();
  if (paths.all_done()) return false;
  for (std::int32_t p = 0; p < paths.size(); ++p) {
    const PathEntry::Phase phase = paths.at(PathId{p}).phase;
    if (phase != PathEntry::Phase::waiting && phase != PathEntry::Phase::done) return false;
  }
  return true;
}

/// The contributions of committed tasks that are neither applied nor dropped, as far as is known here. A path has no
/// more than its newest task's.
std::map<ModuleId, std::vector<TaskId>> Deadlocks::unsettled() const {
  std::map<ModuleId, std::vector<TaskId>> tasks;
  for (std::int32_t p = 0; p < run_.queue.paths().size(); ++p) {
    const PathId path{p};
    const OuterStep done{run_.queue.path(path).version};
    for (const ModuleId module : run_.queue.missing_modules(path)) {
      if (run_.queue.modules().settled(module, path) < done)
        tasks[module].push_back({path, OuterStep{number(done) - 1}});
    }
  }
  return tasks;
}

}  // namespace dipaco
