#include "core/outer/quorum.hpp"

#include <cstddef>
#include <memory>

namespace dipaco {

Verdict StepAtQuorum::arrived(const PartView& part, const ContributionView& contribution) const {
  return weigh_staleness(options_.late, part, contribution);
}

/// nullopt: the quorum is not there.
std::optional<Seconds> StepAtQuorum::end_of_grace(const PartView& part) const {
  const std::int64_t half = (std::int64_t{part.members} + 1) / 2;
  const std::int64_t quorum = options_.quorum == 0 ? half : options_.quorum;
  // Before the first contribution it may not be known who gives: no members, and a quorum of 0.
  if (part.in_hand == 0 || part.in_hand < quorum) return std::nullopt;
  const Seconds there = part.arrived[static_cast<std::size_t>(quorum - 1)];
  const Seconds took = there - part.made.value_or(part.arrived.front());
  return there + options_.grace + options_.grace_share * took;
}

std::optional<StepNow> StepAtQuorum::step(const PartView& part) const {
  if (part.in_hand == 0) return std::nullopt;
  const auto end = end_of_grace(part);
  const bool all = part.in_hand >= part.paths;
  if (!all && (!end || part.now < *end)) return std::nullopt;
  // The shares of all are 1 together, but for what the sum rounds; less where a shorter task weighs less.
  constexpr double kRounded = 1e-9;
  return StepNow{part.share > 1 - kRounded ? 1 : 1 / part.share};
}

std::optional<Seconds> StepAtQuorum::wake(const PartView& part) const { return end_of_grace(part); }

SyncPolicy quorum_policy(const QuorumOptions& options) {
  return {.name = "quorum",
          .exchange = Exchange::parameters,
          .optimizer = "nesterov",
          .rounds = false,
          .step = std::make_shared<StepAtQuorum>(options),
          .start = std::make_shared<StartWhenSettled>()};
}

}  // namespace dipaco
