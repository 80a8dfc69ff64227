#include "core/roles/modules/finish_modules.hpp"

#include <algorithm>

#include "core/base/hash.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

Finished finish_modules(const RunPlan& plan, Storage& storage, const std::map<ModuleId, OwnedModule>& modules,
                        const ModuleFiles& files, const Finish& request) {
  Finished finished;
  for (const auto& [module, mine] : modules) {
    const auto wanted = std::ranges::find(request.modules, module, &BaseVersion::module);
    const bool last = wanted != request.modules.end() && wanted->version == mine.version;
    if (!plan.learner->learns() || !mine.out) continue;
    if (last) {
      finished.hashes.push_back({module, hash_hex(floats_of(mine.parameters))});
      keep_module(plan, storage, module, mine.version, floats_of(mine.parameters));
    }
    for (const Version version : best_versions(plan.topology, module, request.best)) {
      if (version == mine.version || !files.has(module, version)) continue;
      keep_best(plan, storage, module, version, floats_of(files.read(module, version).parameters));
      finished.best.push_back({module, version});
    }
  }
  return finished;
}

}  // namespace dipaco
