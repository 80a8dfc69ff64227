#pragma once

#include "core/base/ids.hpp"
#include "core/plan/plan.hpp"

namespace dipaco {

// With regions (docs/decisions/0037), what is settled of a part, and what made its version, is also said of
// contributors that are no paths. Their numbers lie behind those of the paths:
//
//   in a global part    a region:      differences of merge points before this version are applied
//   in a regional part  its region:    the version that its merge point was made of; 0: the start's parameters
//                       the global:    versions of the global part before this one are merged, or passed over

/// The region of a regional part, as a contributor.
PathId region_contributor(const RunPlan& plan, ModuleId part);
/// Global parts, as a contributor.
PathId global_contributor(const RunPlan& plan);
/// Whether it is a path, and none of these.
bool is_path(const RunPlan& plan, PathId contributor);
/// Whether it is one of these to the module.
bool merges_into(const RunPlan& plan, PathId contributor, ModuleId module);

}  // namespace dipaco
