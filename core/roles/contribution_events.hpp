#pragma once

#include "core/base/ids.hpp"
#include "core/outer/step_policy.hpp"
#include "core/plan/plan.hpp"
#include "core/roles/modules/owned_module.hpp"
#include "core/roles/roles.hpp"

namespace dipaco {

/// Records which contributions of paths are in the module's version that has just come out, or in one behind `before`,
/// the last that was out. In rounds nothing.
void tell_applied(const RunPlan& plan, Seams& seams, ModuleId module, OwnedModule& mine, Version before);

/// Records that a contribution is in no version. @param newest  of the module, that is out
void tell_dropped(Seams& seams, ModuleId module, Version newest, const ContributionView& contribution);

}  // namespace dipaco
