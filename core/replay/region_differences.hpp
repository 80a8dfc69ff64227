#pragma once

#include <map>

#include "core/plan/plan.hpp"
#include "core/roles/modules/owned_module.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// What regional parts give to their global parts, as it is known from their versions: of each the difference from its
/// newest merge point.
class RegionDifferences {
 public:
  explicit RegionDifferences(const RunPlan& plan) : plan_(plan) {}

  /// A version of a module is made: of one that is no regional part nothing is noted. @param last  no other follows
  void note(ModuleId part, const OwnedModule& mine, bool last);
  /// What the order says that a region has given to a global part; null: it is not there yet.
  const RegionDifference* find(ModuleId global, const TaskId& given) const;

 private:
  const RunPlan& plan_;
  std::map<ModuleId, RegionDifference> newest_;
};

}  // namespace dipaco
