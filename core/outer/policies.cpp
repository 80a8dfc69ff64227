#include "core/outer/policies.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

Verdict StepTogether::arrived(const PartView& part, const ContributionView& contribution) const {
  check(contribution.base == part.version, "in rounds a contribution is for the version that its task began with");
  return Add{contribution.share};
}

std::optional<StepNow> StepTogether::step(const PartView& part) const {
  return part.in_hand == part.paths ? std::optional(StepNow{}) : std::nullopt;
}

const std::vector<SyncPolicy>& sync_policies() {
  static const std::vector<SyncPolicy> kPolicies{
      {.name = "synchronous",
       .exchange = Exchange::parameters,
       .optimizer = "nesterov",
       .adds_shares = true,
       .step = std::make_shared<StepTogether>(),
       .start = std::make_shared<StartInRounds>()},
      {.name = "gradients",
       .exchange = Exchange::gradients,
       .optimizer = "adamw",
       .step = std::make_shared<StepTogether>(),
       .start = std::make_shared<StartInRounds>()},
  };
  return kPolicies;
}

const SyncPolicy& sync_policy(std::string_view name) {
  const auto found = std::ranges::find(sync_policies(), name, &SyncPolicy::name);
  check(found != sync_policies().end(), "the key allows the policies of the table alone");
  return *found;
}

}  // namespace dipaco
