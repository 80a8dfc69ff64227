#pragma once

#include <span>
#include <string_view>

namespace dipaco {

/// What a path gives to its modules after a task.
enum class Exchange {
  parameters,  ///< before - after of its inner steps (Alg. 1 line 13)
  gradients,   ///< the gradient of its one inner step, which changes no parameter (§4.5)
};

/// A bundle of decisions that outer.policy names. Both step a module once every path through it has given its part.
struct SyncPolicy {
  std::string_view name;
  Exchange exchange{};
  std::string_view optimizer;  ///< what outer.optimizer=auto stands for
};

/// All of them; the first is the default.
std::span<const SyncPolicy> sync_policies();

/// The policy of that name. REQUIRES one that the key allows.
const SyncPolicy& sync_policy(std::string_view name);

}  // namespace dipaco
