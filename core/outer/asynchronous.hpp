#pragma once

#include "core/outer/policies.hpp"
#include "core/outer/staleness.hpp"

namespace dipaco {

struct AsynchronousOptions {
  StalenessOptions late{};
  double delay_compensation = 0;  ///< strength, lambda; 0: none
  Seconds grace{0};               ///< paths that end within it of the first go on together (2401.09135, Alg. 2)
};

/// A module steps at each contribution (2401.09135, Alg. 2). The direction is the contribution times its weight and
/// times its path's share of what the module's paths have on average: 1 where all shares are equal.
class StepOnArrival : public StepPolicy {
 public:
  explicit StepOnArrival(const StalenessOptions& options) : options_(options) {}
  Verdict arrived(const PartView& part, const ContributionView& contribution) const override;
  std::optional<StepNow> step(const PartView& part) const override;

 private:
  StalenessOptions options_;
};

/// A path goes on with the newest versions once its own contributions are settled, and the grace period is over.
/// Without one nobody waits for another path.
SyncPolicy asynchronous_policy(const AsynchronousOptions& options);

}  // namespace dipaco
