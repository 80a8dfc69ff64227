#include "core/roles/supplies/module_cache.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void ModuleCache::arrived(const ModuleValues& values) {
  const auto known = owners_.find(values.module);
  if (known != owners_.end() && values.epoch < known->second.epoch) return;
  entries_.insert_or_assign({values.module, values.version}, values.parameters);
  const auto coming = coming_.find(values.module);
  if (coming != coming_.end() && coming->second.may_be(values.version)) coming_.erase(coming);
}

void ModuleCache::note(const std::vector<Owner>& owners) {
  for (const Owner& owner : owners) {
    Owner& known = owners_[owner.module];
    // One that came back at its epoch may not have been known before.
    const bool found = owner.epoch == known.epoch && known.executor == NodeId{-1};
    if (owner.epoch <= known.epoch && !found) continue;
    known = owner;
    coming_.erase(owner.module);
  }
}

void ModuleCache::lost(NodeId executor) {
  for (const auto& [module, owner] : owners_) {
    if (owner.executor == executor) coming_.erase(module);
  }
}

void ModuleCache::expect(ModuleId module, Version version) { coming_[module] = {version, !plan_.policy.rounds}; }

/// What was asked for or is pushed may be the version that is wanted.
bool ModuleCache::comes(const BaseVersion& part) const {
  const auto coming = coming_.find(part.module);
  return coming != coming_.end() && coming->second.may_be(part.version);
}

void ModuleCache::request(const Base& base, bool evaluates) {
  for (const BaseVersion& part : base) {
    if (has(part)) continue;
    if (part.version == Version{0}) {
      entries_[{part.module, part.version}] = start_module(plan_, part.module);  // everyone has the prepared start
      continue;
    }
    const auto known = owners_.find(part.module);
    if (known == owners_.end() || known->second.executor == NodeId{-1} || comes(part)) continue;
    coming_[part.module] = {part.version};
    const auto& [module, executor, epoch] = known->second;
    transport_.send(executor, make_message(FetchModule{module, part.version, epoch, evaluates}));
  }
}

bool ModuleCache::unasked(const Base& base) const {
  return std::ranges::any_of(base, [&](const BaseVersion& part) { return !has(part) && !comes(part); });
}

bool ModuleCache::complete(const Base& base) const {
  return std::ranges::all_of(base, [&](const BaseVersion& part) { return has(part); });
}

const Values& ModuleCache::get(ModuleId module, Version version) const {
  check(has({module, version}), "a module is gathered before it is used");
  return entries_.find({module, version})->second;
}

Owner ModuleCache::owner(ModuleId module) const {
  const auto known = owners_.find(module);
  return known == owners_.end() ? Owner{.module = module} : known->second;
}

void ModuleCache::drop_before(const Base& base, OuterStep outer_step) {
  std::erase_if(entries_, [&](const auto& entry) {
    const auto& [module, version] = entry.first;
    const auto named = std::ranges::find(base, module, &BaseVersion::module);
    if (named != base.end()) return version < named->version;
    return !plan_.policy.rounds || number(version) < number(outer_step);
  });
}

}  // namespace dipaco
