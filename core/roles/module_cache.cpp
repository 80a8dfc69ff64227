#include "core/roles/module_cache.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void ModuleCache::arrived(const ModuleValues& values) {
  const auto known = owners_.find(values.module);
  if (known != owners_.end() && values.epoch < known->second.epoch) return;
  entries_.insert_or_assign({values.module, values.version}, values.parameters);
  const auto coming = coming_.find(values.module);
  if (coming != coming_.end() && coming->second == values.version) coming_.erase(coming);
}

void ModuleCache::note(const std::vector<Owner>& owners) {
  for (const Owner& owner : owners) {
    Owner& known = owners_[owner.module];
    if (owner.epoch <= known.epoch) continue;
    known = owner;
    coming_.erase(owner.module);
  }
}

void ModuleCache::lost(NodeId executor) {
  for (const auto& [module, owner] : owners_) {
    if (owner.executor == executor) coming_.erase(module);
  }
}

void ModuleCache::expect(ModuleId module, std::int32_t version) { coming_[module] = version; }

std::vector<ModuleId> ModuleCache::lacking(PathId path, std::int32_t version) const {
  std::vector<ModuleId> modules;
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(path, l);
    if (!plan_.topology.path_specific(module) && !has(module, version)) modules.push_back(module);
  }
  return modules;
}

void ModuleCache::request(PathId path, std::int32_t version) {
  for (const ModuleId module : lacking(path, version)) {
    if (version == 0) {
      entries_[{module, 0}] = start_module(plan_, module);  // everyone has the prepared start
      continue;
    }
    const auto coming = coming_.find(module);
    const NodeId executor = owner(module);
    if (executor == NodeId{-1} || (coming != coming_.end() && coming->second == version)) continue;
    coming_[module] = version;
    transport_.send(executor, make_message(FetchModule{module, version}));
  }
}

void ModuleCache::forget_requests() { coming_.clear(); }

bool ModuleCache::unasked(PathId path, std::int32_t version) const {
  const auto modules = lacking(path, version);
  return std::any_of(modules.begin(), modules.end(), [&](ModuleId module) {
    const auto coming = coming_.find(module);
    return coming == coming_.end() || coming->second != version;
  });
}

bool ModuleCache::complete(PathId path, std::int32_t version) const { return lacking(path, version).empty(); }

const Values& ModuleCache::get(ModuleId module, std::int32_t version) const {
  check(has(module, version), "a module is gathered before it is used");
  return entries_.find({module, version})->second;
}

NodeId ModuleCache::owner(ModuleId module) const {
  const auto known = owners_.find(module);
  return known == owners_.end() ? NodeId{-1} : known->second.executor;
}

void ModuleCache::drop_below(std::int32_t version) {
  std::erase_if(entries_, [version](const auto& entry) { return entry.first.second < version; });
}

}  // namespace dipaco
