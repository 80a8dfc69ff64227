#include "tests/support/half_policy.hpp"

#include <memory>

namespace dipaco {

Verdict StepAtHalf::arrived(const PartView& part, const ContributionView& contribution) const {
  if (contribution.base != part.version) return Drop{"late"};
  return Add{contribution.share};
}

std::optional<StepNow> StepAtHalf::step(const PartView& part) const {
  if (part.in_hand == 0 || 2 * part.in_hand < part.paths) return std::nullopt;
  return StepNow{1 / part.share};
}

SyncPolicy half_policy() {
  return {.name = "half",
          .exchange = Exchange::parameters,
          .optimizer = "nesterov",
          .rounds = false,
          .step = std::make_shared<StepAtHalf>(),
          .start = std::make_shared<StartWhenSettled>()};
}

RunPlan plan_without_rounds(const MadeUpRun& made) {
  RunPlan plan = made.plan();
  plan.policy = half_policy();
  return plan;
}

}  // namespace dipaco
