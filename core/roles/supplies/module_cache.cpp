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
  if (coming == coming_.end() || !coming->second.may_be(values.version)) return;
  coming_.erase(coming);
  const auto put_off = put_off_.extract(values.module);
  if (!put_off || known == owners_.end() || known->second.executor == NodeId{-1}) return;
  const auto& [version, evaluates] = put_off.mapped();
  if (!has({values.module, version})) ask(known->second, version, evaluates);
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

void ModuleCache::lost(NodeId node) {
  std::erase_if(coming_, [node](const auto& coming) { return coming.second.from == node; });
  if (cache_.store == node) cache_ = {};
}

void ModuleCache::failed(const FetchFailed& fetch) {
  const auto coming = coming_.find(fetch.module);
  if (coming == coming_.end() || coming->second.from == owner(fetch.module).executor) return;
  if (!coming->second.may_be(fetch.version)) return;
  coming_.erase(coming);
  pass_by_cache(fetch.module);
}

/// Who is asked for the owner's versions.
NodeId ModuleCache::source(const Owner& owner) const {
  const bool near = std::ranges::find(cache_.near, owner.executor) != cache_.near.end();
  return near || cache_.store == NodeId{-1} ? owner.executor : cache_.store;
}

bool ModuleCache::is_pushed(ModuleId module) const {
  const Owner from = owner(module);
  return !plan_.policy.rounds || source(from) == from.executor;
}

NodeId ModuleCache::gradients_to(ModuleId module) const {
  const Owner owning = owner(module);
  return plan_.config.run.site_sums && plan_.policy.adds_shares ? source(owning) : owning.executor;
}

void ModuleCache::expect(ModuleId module, Version version) {
  const Owner from = owner(module);
  if (is_pushed(module)) {
    coming_[module] = {from.executor, version, !plan_.policy.rounds};
  } else if (!comes({module, version})) {  // the node's last task may have asked for it
    ask(from, version, false);
  }
}

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
    if (known == owners_.end() || known->second.executor == NodeId{-1}) continue;
    if (comes(part)) {
      put_off_[part.module] = {part.version, evaluates};
      continue;
    }
    ask(known->second, part.version, evaluates);
  }
}

void ModuleCache::ask(const Owner& owner, Version version, bool evaluates) {
  const NodeId from = source(owner);
  coming_[owner.module] = {from, version};
  FetchModule fetch{owner.module, version, owner.epoch, evaluates};
  transport_.send(
      from, from == owner.executor ? make_message(fetch) : make_message(FetchThroughCache{fetch, owner.executor}));
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
  put_off_.clear();  // of an earlier task
  std::erase_if(entries_, [&](const auto& entry) {
    const auto& [module, version] = entry.first;
    const auto named = std::ranges::find(base, module, &BaseVersion::module);
    if (named != base.end()) return version < named->version;
    return !plan_.policy.rounds || number(version) < number(outer_step);
  });
}

}  // namespace dipaco
