#include "core/replay/region_differences.hpp"

#include "core/plan/regions.hpp"
#include "core/roles/modules/regional_merges.hpp"

namespace dipaco {

void RegionDifferences::note(ModuleId part, const OwnedModule& mine, bool last) {
  if (!plan_.topology.is_regional(part)) return;
  const Version merged = merged_version(plan_, part, mine);
  const auto known = newest_.find(part);
  if (known != newest_.end() && known->second.merged == number(merged)) return;
  if (last || plan_.regional_optimizer->is_cut(mine.version, merged))
    newest_.insert_or_assign(part, difference_of(plan_, part, mine));
}

const RegionDifference* RegionDifferences::find(ModuleId global, const TaskId& given) const {
  for (const ModuleId part : plan_.topology.regional_parts(global)) {
    const auto found = newest_.find(part);
    const bool it = found != newest_.end() && found->second.merged == number(given.outer_step);
    if (it && region_contributor(plan_, part) == given.path) return &found->second;
  }
  return nullptr;
}

}  // namespace dipaco
