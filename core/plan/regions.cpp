#include "core/plan/regions.hpp"

#include <algorithm>

namespace dipaco {

PathId region_contributor(const RunPlan& plan, ModuleId part) {
  return PathId{plan.topology.paths() + plan.topology.region_of(part)};
}

PathId global_contributor(const RunPlan& plan) { return PathId{plan.topology.paths() + plan.topology.regions()}; }

bool is_path(const RunPlan& plan, PathId contributor) { return index(contributor) < plan.topology.paths(); }

bool merges_into(const RunPlan& plan, PathId contributor, ModuleId module) {
  if (plan.topology.is_regional(module)) {
    return contributor == global_contributor(plan) || contributor == region_contributor(plan, module);
  }
  return std::ranges::any_of(plan.topology.regional_parts(module),
                             [&](ModuleId part) { return contributor == region_contributor(plan, part); });
}

}  // namespace dipaco
