#pragma once

#include <vector>

#include "core/outer/radial.hpp"
#include "core/plan/plan.hpp"
#include "core/roles/modules/owned_module.hpp"
#include "core/roles/modules/shares.hpp"
#include "core/state/archive.hpp"

namespace dipaco {

/// Makes versions of modules: the values of Alg. 1 lines 11-14, and Eq. 2-3's shares. Knows no other node.
class OuterStepper {
 public:
  OuterStepper(const RunPlan& plan, Archive& archive);

  /// |D_i| of a phase behind the first.
  void learn(const ShardSizes& sizes) { shares_.learn(sizes); }
  /// Whether the shares of contributions of this outer step are known.
  bool knows_sizes(OuterStep outer_step) const { return shares_.known(outer_step); }
  /// For the contributions to a version of a module with these parameters.
  OuterAccumulator empty_sum(ModuleId module, const Values& parameters) const;
  /// Sets the shares of the contributions to the module's next version, where that begins.
  void weigh(ModuleId module, OwnedModule& mine) const;
  /// Of a contribution of so many inner steps: where tokens weigh, as much less as its task is shorter than the
  /// longest. REQUIRES that shares are set.
  double share_of(const OwnedModule& mine, PathId path, std::int32_t inner_steps) const;
  /// What the run's policy sees of it, at a time by the executor's clock. Valid until its contributions change.
  PartView view(const OwnedModule& mine, Seconds now) const;
  /// Takes an outer gradient into the next version, as the run's policy combines it.
  /// @param base  parameters that its task began with; of no use where the policy leaves it as it is
  /// @throws DataError where it is not finite or too large
  void add(OwnedModule& mine, const OuterGradient& given, const Values& base, double weight) const;
  /// Takes a sum of outer gradients, each times its share, into the next version.
  void add(OwnedModule& mine, const GradientSum& given) const;
  /// Takes a regional part's difference into a global part's next version. @throws as above
  void add(OwnedModule& mine, const RegionDifference& given, double weight) const;
  /// Makes the next version of what is in hand; of a regional part, once it has merged with the global parameters that
  /// are. @returns this
  std::vector<Contributions::InHand> step(ModuleId module, OwnedModule& mine, double scale) const;
  /// Whether no path gives to the version's step: in rounds none may have been drawn (§2.6.2).
  bool skips(ModuleId module, Version version) const;

 private:
  Version next_version(const OwnedModule& mine) const;
  bool computes(ModuleId module, Version version) const;
  bool by_direction() const { return !tensors_.empty(); }
  const std::vector<PartTensor>& tensors(ModuleId module) const;
  void settle_merge(ModuleId module, OwnedModule& mine) const;
  void average(ModuleId module, OwnedModule& mine, std::size_t paths, double scale) const;

  const RunPlan& plan_;
  Archive& archive_;
  Shares shares_;
  std::vector<std::vector<PartTensor>> tensors_;  ///< [L], where directions are averaged; else empty
};

}  // namespace dipaco
