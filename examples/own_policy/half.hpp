#pragma once

#include <dipaco/core/outer/policies.hpp>
#include <memory>
#include <optional>

/// A module steps once half of the paths that still give to it have given. What comes later, for a version that is not
/// the newest any more, is dropped; its path goes on from the newest. With two levels some module always has half:
/// fewer contributions are in hand than paths still give. With more levels, every path could wait for another.
class StepAtHalf : public dipaco::StepPolicy {
 public:
  dipaco::Verdict arrived(const dipaco::PartView& part, const dipaco::ContributionView& contribution) const override {
    if (contribution.base != part.version) return dipaco::Drop{"late"};
    return dipaco::Add{contribution.share};
  }

  std::optional<dipaco::StepNow> step(const dipaco::PartView& part) const override {
    if (part.in_hand == 0 || 2 * part.in_hand < part.paths) return std::nullopt;
    return dipaco::StepNow{1 / part.share};  // the mean of those that are in
  }
};

inline dipaco::SyncPolicy half_policy() {
  return {.name = "half",
          .exchange = dipaco::Exchange::parameters,
          .optimizer = "sgd",
          .rounds = false,
          .step = std::make_shared<StepAtHalf>(),
          .start = std::make_shared<dipaco::StartWhenSettled>()};
}
