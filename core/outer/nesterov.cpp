#include "core/outer/nesterov.hpp"

#include <cmath>

#include "core/base/error.hpp"

namespace dipaco {

void nesterov_step(std::span<float> params, std::span<float> velocity, std::span<const float> delta,
                   const NesterovOptions& options) {
  check(params.size() == velocity.size() && params.size() == delta.size(), "an outer step has three equal lengths");
  const auto rate = static_cast<float>(options.rate);
  const auto momentum = static_cast<float>(options.momentum);
  float* const p = params.data();
  float* const v = velocity.data();
  const float* const d = delta.data();
  for (std::size_t k = 0; k < params.size(); ++k) {
    v[k] = momentum * v[k] + d[k];
    p[k] -= rate * (d[k] + momentum * v[k]);
  }
}

double rescale_factor(bool rescale_sqrt, std::size_t paths) {
  return rescale_sqrt ? std::sqrt(static_cast<double>(paths)) : 1.0;
}

}  // namespace dipaco
