#include "core/outer/adamw.hpp"

#include <cmath>
#include <cstddef>

#include "core/base/error.hpp"

namespace dipaco {

void adamw_step(std::span<float> params, std::span<float> first_moment, std::span<float> second_moment,
                std::span<const float> gradient, const AdamWStep& step) {
  const std::size_t n = params.size();
  check(first_moment.size() == n && second_moment.size() == n && gradient.size() == n,
        "an AdamW step has four equal lengths");
  const auto count = static_cast<double>(step.count);
  const double first_bias = 1 - std::pow(step.beta1, count);
  const double second_bias = 1 - std::pow(step.beta2, count);
  const double kept = 1 - step.learning_rate * step.weight_decay;
  for (std::size_t k = 0; k < n; ++k) {
    const double g = gradient[k];
    const double m = step.beta1 * first_moment[k] + (1 - step.beta1) * g;
    const double v = step.beta2 * second_moment[k] + (1 - step.beta2) * g * g;
    const double change = m / first_bias / (std::sqrt(v / second_bias) + step.epsilon);
    first_moment[k] = static_cast<float>(m);
    second_moment[k] = static_cast<float>(v);
    params[k] = static_cast<float>(kept * params[k] - step.learning_rate * change);
  }
}

}  // namespace dipaco
