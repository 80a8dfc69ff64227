#pragma once

#include <cstdint>
#include <optional>

#include "core/base/units.hpp"
#include "core/outer/policies.hpp"
#include "core/outer/staleness.hpp"

namespace dipaco {

struct QuorumOptions {
  std::int64_t quorum = 0;  ///< K: contributions that a module waits for; 0: half of its paths, rounded up
  Seconds grace{0};         ///< after the K-th it waits so long for more,
  double grace_share = 0;   ///< and so large a part of the time that these K took since the version before
  StalenessOptions late{};  ///< what becomes of contributions that come after the step that they were for
};

/// A module steps a grace period after K of its paths have given, or at once where all have given that still can. What
/// comes later is in its next step, if it is not too stale. The direction is the mean of what is in hand, by the paths'
/// shares; where staleness weighs, a stale contribution counts for less. Source: quorum and adaptive grace of Decoupled
/// DiLoCo (2604.21428), at most a share gamma of the slack: of the time that training goes on during a merge, what the
/// quorum and the merge leave. Here nothing trains during a merge, so the share is of what the quorum took: with gamma
/// a module loses at most gamma / (1 + gamma) of its pace to waiting.
class StepAtQuorum : public StepPolicy {
 public:
  explicit StepAtQuorum(const QuorumOptions& options) : options_(options) {}
  Verdict arrived(const PartView& part, const ContributionView& contribution) const override;
  std::optional<StepNow> step(const PartView& part) const override;
  std::optional<Seconds> wake(const PartView& part) const override;

 private:
  std::optional<Seconds> end_of_grace(const PartView& part) const;

  QuorumOptions options_;
};

/// A path waits for K paths of each of its modules, its own contribution among them, and not for the slowest. With K
/// the number of paths it ends with the bits of `synchronous`.
SyncPolicy quorum_policy(const QuorumOptions& options);

}  // namespace dipaco
