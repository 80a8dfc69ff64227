#include "core/nn/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace dipaco {
namespace {

constexpr std::int64_t kLanes = 16;

/// Sum of term(k) for k in [0, d): in 16 partial sums, so that the compiler may use vectors without changing a bit.
template <class Term>
float sum_of(std::int64_t d, Term term) {
  std::array<float, kLanes> sums{};
  std::int64_t k = 0;
  for (; k + kLanes <= d; k += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sums[static_cast<std::size_t>(lane)] += term(k + lane);
  }
  for (; k < d; ++k) sums[static_cast<std::size_t>(k % kLanes)] += term(k);
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum;
}

}  // namespace

void rms_norm(const RmsNormForward& norm) {
  const auto size = static_cast<float>(norm.d);
  const float* const weight = norm.weight;
  for (std::int64_t row = 0; row < norm.n; ++row) {
    const float* const x = norm.x + row * norm.d;
    float* const y = norm.y + row * norm.d;
    const float squares = sum_of(norm.d, [x](std::int64_t k) { return x[k] * x[k]; });
    const float inverse = 1.0F / std::sqrt(squares / size + norm.epsilon);
    norm.inverse_rms[row] = inverse;
    for (std::int64_t k = 0; k < norm.d; ++k) y[k] = x[k] * inverse * weight[k];
  }
}

void rms_norm_gradient(const RmsNormBackward& norm) {
  const auto size = static_cast<float>(norm.d);
  const float* const weight = norm.weight;
  float* const weight_gradient = norm.weight_gradient;
  std::fill_n(weight_gradient, norm.d, 0.0F);
  for (std::int64_t row = 0; row < norm.n; ++row) {
    const float* const x = norm.x + row * norm.d;
    const float* const g = norm.y_gradient + row * norm.d;
    float* const out = norm.x_gradient + row * norm.d;
    const float inverse = norm.inverse_rms[row];
    const float dot = sum_of(norm.d, [=](std::int64_t k) { return g[k] * weight[k] * x[k]; });
    const float along = dot * inverse * inverse * inverse / size;
    for (std::int64_t k = 0; k < norm.d; ++k) {
      out[k] = g[k] * weight[k] * inverse - x[k] * along;
      weight_gradient[k] += g[k] * x[k] * inverse;
    }
  }
}

void rotate(const Rotation& rotation, Heads<const float> from, Heads<float> to) {
  const std::int64_t half = rotation.head_size / 2;
  const float direction = rotation.direction;
  for (std::int64_t row = 0; row < rotation.n; ++row) {
    const float* const cosines = rotation.cosines + row * half;
    const float* const sines = rotation.sines + row * half;
    for (std::int64_t head = 0; head < rotation.heads; ++head) {
      const float* const a = from.data + row * from.stride + head * rotation.head_size;
      float* const out = to.data + row * to.stride + head * rotation.head_size;
      for (std::int64_t k = 0; k < half; ++k) {
        const float sine = direction * sines[k];
        out[k] = a[k] * cosines[k] - a[k + half] * sine;
        out[k + half] = a[k + half] * cosines[k] + a[k] * sine;
      }
    }
  }
}

void copy_heads(const Rotation& shape, Heads<const float> from, Heads<float> to) {
  for (std::int64_t row = 0; row < shape.n; ++row) {
    std::copy_n(from.data + row * from.stride, shape.heads * shape.head_size, to.data + row * to.stride);
  }
}

}  // namespace dipaco
