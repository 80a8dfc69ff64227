#include "core/queue/module_versions.hpp"

#include <algorithm>

namespace dipaco {

ModuleVersions::ModuleVersions(const Topology& topology, const SyncPolicy& policy)
    : topology_(topology), policy_(policy) {
  for (const ModuleId module : topology.modules()) {
    if (!topology.path_specific(module)) modules_[module];
  }
  versions_.add(0, static_cast<std::int64_t>(modules_.size()));
}

void ModuleVersions::restore(ModuleId module, Version version, const std::map<PathId, OuterStep>& settled) {
  Entry& entry = modules_.at(module);
  versions_.move(number(entry.version), number(version));
  entry.version = version;
  entry.settled = settled;
}

bool ModuleVersions::ready(ModuleId module, Version version, const std::vector<SettledPath>& settled) {
  Entry& entry = modules_.at(module);
  bool news = version > entry.version;
  if (news) {
    versions_.move(number(entry.version), number(version));
    entry.version = version;
  }
  for (const auto& [path, outer_step] : settled) {
    OuterStep& before = entry.settled[path];
    news = news || outer_step > before;
    before = std::max(before, outer_step);
  }
  return news;
}

std::optional<std::int32_t> ModuleVersions::rounds_done() const {
  if (!policy_.rounds || modules_.empty()) return std::nullopt;
  return versions_.least();
}

Base ModuleVersions::newest(PathId path) const {
  Base base;
  for (std::int32_t l = 0; l < topology_.levels(); ++l) {
    const auto found = modules_.find(topology_.module(path, l));
    if (found != modules_.end()) base.push_back({found->first, found->second.version});
  }
  return base;
}

std::vector<ModuleId> ModuleVersions::awaited(PathId path, OuterStep next_outer_step, OuterStep done) const {
  std::vector<ModuleId> awaited;
  for (std::int32_t l = 0; l < topology_.levels(); ++l) {
    const auto found = modules_.find(topology_.module(path, l));
    if (found == modules_.end()) continue;
    const StartView view{next_outer_step, done, found->second.version, found->second.settled_of(path)};
    // An executor takes a path's contributions one after the other, whatever the policy says.
    const bool settled = policy_.rounds || view.settled >= view.done;
    if (!settled || !policy_.start->may_begin(view)) awaited.push_back(found->first);
  }
  return awaited;
}

}  // namespace dipaco
