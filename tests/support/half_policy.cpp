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

NamedParts parts_with_half() {
  NamedParts parts;
  parts.policies.push_back({.name = "half", .make = [](const RunConfig& /*config*/) { return half_policy(); }});
  return parts;
}

RunPlan plan_without_rounds(const MadeUpRun& made) {
  RunConfig config = made.config;
  config.parts = std::make_shared<const NamedParts>(parts_with_half());
  config.outer.policy = "half";
  return make_plan(config, made.prepared(), made.trainer);
}

}  // namespace dipaco
