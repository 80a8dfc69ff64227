#include "core/outer/policies.hpp"

#include <algorithm>
#include <array>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::array kPolicies{
    SyncPolicy{.name = "synchronous", .exchange = Exchange::parameters, .optimizer = "nesterov"},
    SyncPolicy{.name = "gradients", .exchange = Exchange::gradients, .optimizer = "adamw"},
};

}  // namespace

std::span<const SyncPolicy> sync_policies() { return kPolicies; }

const SyncPolicy& sync_policy(std::string_view name) {
  const auto* const found =
      std::find_if(kPolicies.begin(), kPolicies.end(), [&](const auto& p) { return p.name == name; });
  check(found != kPolicies.end(), "the key allows the policies of the table alone");
  return *found;
}

}  // namespace dipaco
