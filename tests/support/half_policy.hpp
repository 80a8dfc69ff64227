#pragma once

#include <memory>

#include "core/outer/policies.hpp"

namespace dipaco {

/// Steps once half of the paths that still give have given, and drops what comes later: whose base is not the newest.
class StepAtHalf : public StepPolicy {
 public:
  Verdict arrived(const PartView& part, const ContributionView& contribution) const override {
    if (contribution.base != part.version) return Drop{"late"};
    return Add{contribution.share};
  }
  std::optional<StepNow> step(const PartView& part) const override {
    if (part.in_hand == 0 || 2 * part.in_hand < part.paths) return std::nullopt;
    return StepNow{1 / part.share};
  }
};

/// A policy without rounds, for tests.
inline SyncPolicy half_policy() {
  return {.name = "half",
          .exchange = Exchange::parameters,
          .optimizer = "nesterov",
          .rounds = false,
          .step = std::make_shared<StepAtHalf>(),
          .start = std::make_shared<StartWhenSettled>()};
}

}  // namespace dipaco
