#pragma once

#include <cstdint>

#include "core/outer/policies.hpp"

namespace dipaco {

struct AsynchronousOptions {
  bool polynomial = false;         ///< a contribution weighs (1 + staleness)^-1/2, else 1
  std::int64_t max_staleness = 0;  ///< one that is more versions late is dropped; 0: none is
  double delay_compensation = 0;   ///< strength, lambda; 0: none
};

/// A module steps at each contribution (2401.09135, Alg. 2). Staleness counts the versions that came out after the one
/// that the task began with. The direction is the contribution times its weight and times its path's share of what the
/// module's paths have on average: 1 where all shares are equal.
class StepOnArrival : public StepPolicy {
 public:
  explicit StepOnArrival(const AsynchronousOptions& options) : options_(options) {}
  Verdict arrived(const PartView& part, const ContributionView& contribution) const override;
  std::optional<StepNow> step(const PartView& part) const override;

 private:
  AsynchronousOptions options_;
};

/// Nobody waits for another path: a path goes on with the newest versions once its own contributions are settled.
SyncPolicy asynchronous_policy(const AsynchronousOptions& options);

}  // namespace dipaco
