#include "core/outer/asynchronous.hpp"

#include <cmath>
#include <memory>
#include <string>

#include "core/base/error.hpp"

namespace dipaco {

Verdict StepOnArrival::arrived(const PartView& part, const ContributionView& contribution) const {
  const std::int32_t staleness = number(part.version) - number(contribution.base);
  check(staleness >= 0, "no task begins with a version that is not out");
  if (options_.max_staleness > 0 && staleness > options_.max_staleness) {
    return Drop{"stale: its base is " + std::to_string(staleness) + " versions behind"};
  }
  return Add{options_.polynomial ? contribution.share / std::sqrt(1.0 + staleness) : contribution.share};
}

std::optional<StepNow> StepOnArrival::step(const PartView& part) const {
  if (part.in_hand == 0) return std::nullopt;
  return StepNow{static_cast<double>(part.members) / part.in_hand};
}

SyncPolicy asynchronous_policy(const AsynchronousOptions& options) {
  return {.name = "asynchronous",
          .exchange = Exchange::parameters,
          .optimizer = "delayed_nesterov",
          .rounds = false,
          .step = std::make_shared<StepOnArrival>(options),
          .start = std::make_shared<StartWhenSettled>(),
          .combine = options.delay_compensation > 0 ? std::make_shared<DelayCompensation>(options.delay_compensation)
                                                    : nullptr};
}

}  // namespace dipaco
