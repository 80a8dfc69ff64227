#pragma once

#include <map>

#include "core/plan/plan.hpp"
#include "core/roles/modules/owned_module.hpp"
#include "core/storage/storage.hpp"

namespace dipaco {

/// Keeps the modules of an executor that the run ends with, and the versions that are some path's best, as part of the
/// run's model. @returns their hashes
Finished finish_modules(const RunPlan& plan, Storage& storage, const std::map<ModuleId, OwnedModule>& modules,
                        const ModuleFiles& files, const Finish& request);

}  // namespace dipaco
