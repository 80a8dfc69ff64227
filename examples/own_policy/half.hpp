#pragma once

#include <dipaco/core/config/run_config.hpp>
#include <dipaco/core/outer/policies.hpp>
#include <memory>
#include <optional>

/// A module steps once a share of the paths that still give to it have given. What comes later, for a version that is
/// not the newest any more, is dropped; its path goes on from the newest. Where every path waits for another module,
/// fewer paths "still give": the coordinator says so, and the module steps with what it has (docs/decisions/0024).
class StepAtShare : public dipaco::StepPolicy {
 public:
  explicit StepAtShare(double share) : share_(share) {}

  dipaco::Verdict arrived(const dipaco::PartView& part, const dipaco::ContributionView& contribution) const override {
    if (contribution.base != part.version) return dipaco::Drop{"late"};
    return dipaco::Add{contribution.share};
  }

  std::optional<dipaco::StepNow> step(const dipaco::PartView& part) const override {
    if (part.in_hand == 0 || part.in_hand < share_ * part.paths) return std::nullopt;
    return dipaco::StepNow{1 / part.share};  // the mean of those that are in
  }

 private:
  double share_;
};

/// The key half.share of the run file.
inline constexpr double kShare = 0.5;

inline dipaco::Slot share_slot(dipaco::RunConfig& config) { return &config.own.slot("half.share", kShare); }

inline dipaco::SyncPolicy half_policy(const dipaco::RunConfig& config) {
  return {.name = "half",
          .exchange = dipaco::Exchange::parameters,
          .optimizer = "sgd",
          .rounds = false,
          .step = std::make_shared<StepAtShare>(config.own.get("half.share", kShare)),
          .start = std::make_shared<dipaco::StartWhenSettled>()};
}
