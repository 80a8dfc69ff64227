#include "core/coordinator/known/kept_bases.hpp"

#include <algorithm>
#include <set>

#include "core/state/archive.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

/// Whether what the path's newest task began with in the module may be needed to make a contribution again. A gradient
/// is made from all of the path's modules.
bool KeptBases::begins_again(ModuleId module, PathId id) const {
  const ModuleVersions& modules = run_.queue.modules();
  const OuterStep done{run_.queue.path(id).version};
  if (!exchanges_gradients(run_.plan)) return modules.settled(module, id) < done;
  return done > OuterStep{0} && std::ranges::any_of(run_.queue.path(id).state_base, [&](const BaseVersion& part) {
           return modules.settled(part.module, id) < done;
         });
}

void KeptBases::keep(ModuleId module, const RegionalParts& parts) {
  if (run_.plan.policy.rounds) return;
  const ModuleVersions& modules = run_.queue.modules();
  std::set<Version> bases = parts.may_be_sent(module);
  for (const PathId id : run_.plan.topology.paths_through(module)) {
    const PathEntry& path = run_.queue.path(id);
    if (!path.base.empty()) bases.insert(version_in(path.base, module));
    if (begins_again(module, id)) bases.insert(version_in(path.state_base, module));
  }
  const KeepVersions keep{module, modules.version(module), {bases.begin(), bases.end()}};
  KeepVersions& told = told_[module];
  if (told.newest == keep.newest && told.bases == keep.bases) return;
  told = keep;
  run_.seams.archive.keep_only(keep);
  for (const NodeId store : run_.members.with(Role::store)) run_.send(store, keep);
  const NodeId owner = run_.ownership.owner(module).executor;
  if (run_.members.contains(owner)) run_.send(owner, keep);
}

}  // namespace dipaco
