#include "core/trainer/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dipaco {

double learning_rate_at(const InnerOptions& options, InnerSteps step, InnerSteps total) {
  const auto at = static_cast<double>(step.value);
  const auto warmup = static_cast<double>(options.warmup);
  if (at < warmup) return options.learning_rate * (at + 1) / warmup;
  const double span = std::max(1.0, static_cast<double>(total.value) - warmup);
  const double done = std::min(1.0, (at - warmup) / span);
  const double share = 0.5 * (1 + std::cos(std::numbers::pi * done));
  return options.final_learning_rate + share * (options.learning_rate - options.final_learning_rate);
}

}  // namespace dipaco
