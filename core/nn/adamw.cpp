#include "core/nn/adamw.hpp"

#include <cmath>
#include <optional>

#include "core/nn/staging.hpp"

namespace dipaco {

AdamW::AdamW(const InnerOptions& options, const TrainState& state, const Place& place)
    : options_(options),
      first_moment_(to_tensor(state.first_moment, place)),
      second_moment_(to_tensor(state.second_moment, place)) {}

bool AdamW::step(const at::Tensor& parameters, const at::Tensor& gradient, InnerSteps step, double learning_rate) {
  const double norm = at::linalg_vector_norm(gradient).item<double>();
  if (!std::isfinite(norm)) return false;
  std::optional<at::Tensor> divisor;
  if (options_.clip > 0 && norm > options_.clip) divisor = at::full({}, norm / options_.clip, gradient.options());
  // The kernel counts steps from 1.
  const at::Tensor count = at::full({}, static_cast<double>(step.value + 1), gradient.options());
  at::_fused_adamw_({parameters}, {gradient}, {first_moment_}, {second_moment_}, {}, {count}, learning_rate,
                    options_.beta1, options_.beta2, options_.weight_decay, options_.epsilon, /*amsgrad=*/false,
                    /*maximize=*/false, divisor);
  return true;
}

}  // namespace dipaco
