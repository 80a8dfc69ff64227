#pragma once

#include "core/config/named_parts.hpp"
#include "core/outer/policies.hpp"
#include "core/plan/plan.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {

/// Steps once half of the paths that still give have given, and drops what comes later: whose base is not the newest.
class StepAtHalf : public StepPolicy {
 public:
  Verdict arrived(const PartView& part, const ContributionView& contribution) const override;
  std::optional<StepNow> step(const PartView& part) const override;
};

/// A policy without rounds, for tests.
SyncPolicy half_policy();

/// This project's parts, and that policy by the name of half.
NamedParts parts_with_half();

/// The run's plan where its run file names that policy.
RunPlan plan_without_rounds(const MadeUpRun& made);

}  // namespace dipaco
