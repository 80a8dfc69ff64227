#include "core/nn/adamw.hpp"

#include <vector>

#include "core/nn/staging.hpp"

namespace dipaco {
namespace {

/// On a CPU LibTorch adds a vector's squares one behind the other, as floats: the norm of 150 million normal numbers
/// comes out 1.8 % short, that of a gradient of a million numbers 1e-4. Smaller parts would change the bits of more
/// runs.
constexpr std::int64_t kMostInANorm = 1 << 20;

}  // namespace

at::Tensor norm_of(const at::Tensor& gradient) {
  if (!gradient.is_cpu() || gradient.numel() <= kMostInANorm) return at::linalg_vector_norm(gradient);
  std::vector<at::Tensor> norms;
  for (const at::Tensor& part : gradient.split(kMostInANorm)) norms.push_back(at::linalg_vector_norm(part));
  return at::linalg_vector_norm(at::stack(norms));
}

AdamW::AdamW(const InnerOptions& options, const TrainState& state, const Place& place)
    : options_(options),
      first_moment_(to_tensor(state.first_moment, place)),
      second_moment_(to_tensor(state.second_moment, place)) {}

std::optional<at::Tensor> AdamW::divisor(const at::Tensor& norm) const {
  if (options_.clip <= 0) return std::nullopt;
  if (!norm.is_cpu()) return norm.div(options_.clip).clamp_min_(1.0);
  const double value = norm.item<double>();
  if (value > options_.clip) return at::full({}, value / options_.clip, norm.options());
  return std::nullopt;
}

at::Tensor AdamW::step(const at::Tensor& parameters, const at::Tensor& gradient, InnerSteps step,
                       double learning_rate) {
  at::Tensor norm = norm_of(gradient);
  // The kernel counts steps from 1.
  const at::Tensor count = at::full({}, static_cast<double>(step.value + 1), gradient.options());
  at::_fused_adamw_({parameters}, {gradient}, {first_moment_}, {second_moment_}, {}, {count}, learning_rate,
                    options_.beta1, options_.beta2, options_.weight_decay, options_.epsilon, /*amsgrad=*/false,
                    /*maximize=*/false, divisor(norm));
  return norm;
}

}  // namespace dipaco
