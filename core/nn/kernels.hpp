#pragma once

#include <cstdint>
#include <span>

namespace dipaco {

// Loops that LibTorch has no fused form of on a CPU. Rows are independent, and sums within a row have a fixed order
// that no instruction set changes.

/// y [n, d] = x [n, d] * inverse_rms [n] * weight [d], inverse_rms = 1 / sqrt(mean of x squared + epsilon).
struct RmsNormForward {
  std::int64_t n = 0;
  std::int64_t d = 0;
  float epsilon = 0;
  const float* x = nullptr;
  const float* weight = nullptr;
  float* y = nullptr;
  float* inverse_rms = nullptr;
};
void rms_norm(const RmsNormForward& norm);

/// The gradients of x [n, d] and weight [d] from that of y [n, d]; both are overwritten.
struct RmsNormBackward {
  std::int64_t n = 0;
  std::int64_t d = 0;
  const float* x = nullptr;
  const float* weight = nullptr;
  const float* inverse_rms = nullptr;
  const float* y_gradient = nullptr;
  float* x_gradient = nullptr;
  float* weight_gradient = nullptr;
};
void rms_norm_gradient(const RmsNormBackward& norm);

/// Rows of `heads` vectors of `head_size`, `stride` floats from row to row.
template <class Float>
struct Heads {
  Float* data = nullptr;
  std::int64_t stride = 0;
};

/// Turns each vector's halves (a, b) by its row's angles, as LlamaForCausalLM does: (a cos - b sin, b cos + a sin).
struct Rotation {
  std::int64_t n = 0;
  std::int64_t heads = 0;
  std::int64_t head_size = 0;
  const float* cosines = nullptr;  ///< [n, head_size / 2]
  const float* sines = nullptr;    ///< [n, head_size / 2]
  float direction = 1;             ///< -1: back, the gradient of turning
};
void rotate(const Rotation& rotation, Heads<const float> from, Heads<float> to);
/// Without turning.
void copy_heads(const Rotation& shape, Heads<const float> from, Heads<float> to);

}  // namespace dipaco
