#include "core/plan/outer_optimizer.hpp"

#include <string_view>

#include "core/base/error.hpp"
#include "core/outer/optimizers.hpp"
#include "core/outer/policies.hpp"
#include "core/trainer/schedule.hpp"

namespace dipaco {
namespace {

/// A version is an inner step: counts and schedule go on from the dense start.
std::unique_ptr<const OuterOptimizer> inner_adamw(const RunConfig& config, InnerSteps start) {
  const InnerSteps total = start + InnerSteps{config.outer.steps};
  const auto options = [inner = config.inner, start, total](Version version) {
    const InnerSteps step = start + InnerSteps{number(version)};
    return AdamWStep{.learning_rate = learning_rate_at(inner, step, total),
                     .beta1 = inner.beta1,
                     .beta2 = inner.beta2,
                     .epsilon = inner.epsilon,
                     .weight_decay = inner.weight_decay,
                     .count = step.value + 1};
  };
  return std::make_unique<OuterAdamW>(options, true);
}

std::unique_ptr<const OuterOptimizer> outer_adamw(const OuterOptions& outer) {
  const auto options = [outer](Version version) {
    return AdamWStep{.learning_rate = outer.learning_rate,
                     .beta1 = outer.beta1,
                     .beta2 = outer.beta2,
                     .epsilon = outer.epsilon,
                     .weight_decay = outer.weight_decay,
                     .count = std::int64_t{number(version)} + 1};
  };
  return std::make_unique<OuterAdamW>(options, false);
}

}  // namespace

std::unique_ptr<const OuterOptimizer> make_outer_optimizer(const RunConfig& config, const SyncPolicy& policy,
                                                           InnerSteps start) {
  const OuterOptions& outer = config.outer;
  const std::string_view name = outer.optimizer == "auto" ? policy.optimizer : std::string_view(outer.optimizer);
  if (name == "nesterov") {
    return std::make_unique<OuterNesterov>(NesterovOptions{.rate = outer.learning_rate, .momentum = outer.momentum});
  }
  if (name == "sgd") return std::make_unique<OuterSgd>(outer.learning_rate);
  check(name == "adamw", "the key allows no other optimizer");
  return policy.exchange == Exchange::gradients ? inner_adamw(config, start) : outer_adamw(outer);
}

}  // namespace dipaco
