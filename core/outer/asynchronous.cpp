#include "core/outer/asynchronous.hpp"

#include <memory>

namespace dipaco {

Verdict StepOnArrival::arrived(const PartView& part, const ContributionView& contribution) const {
  return weigh_staleness(options_, part, contribution);
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
          .gathers = false,
          .step = std::make_shared<StepOnArrival>(options.late),
          .start = std::make_shared<StartWhenSettled>(options.grace),
          .combine = options.delay_compensation > 0 ? std::make_shared<DelayCompensation>(options.delay_compensation)
                                                    : nullptr};
}

}  // namespace dipaco
