#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// The share of each path in the steps of its modules, alpha of Eq. 2-3: by the sizes of shards, which are known
/// beforehand for the first phase, and told for later ones. Executors and sites' stores have the same.
class Shares {
 public:
  explicit Shares(const RunPlan& plan) : plan_(plan), sizes_{{0, plan.shard_weights}} {}

  /// |D_i| of a phase behind the first.
  void learn(const ShardSizes& sizes);
  /// Whether the shares of contributions of this outer step are known.
  bool known(OuterStep outer_step) const { return sizes_.contains(plan_.timetable.phase_of(outer_step)); }
  /// The paths that may give to the module's step from this version: in rounds those that train at that outer step.
  std::vector<PathId> contributors(ModuleId module, Version version) const;
  /// Theirs, which add up to 1; empty where they are not known. Of a global part those of its regions, which are equal.
  std::map<PathId, double> of(ModuleId module, Version version) const;

 private:
  std::map<PathId, double> of_regions(ModuleId global) const;

  const RunPlan& plan_;
  std::map<std::int32_t, std::vector<double>> sizes_;  ///< |D_i| by phase, [P]
};

}  // namespace dipaco
