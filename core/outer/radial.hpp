#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dipaco {

/// A tensor within a part's values.
struct PartTensor {
  std::size_t offset = 0;
  std::size_t size = 0;
  bool plain = false;  ///< its mean is that of the values: of embeddings
};

/// Radial-directional averaging: how long contributions are and where they point is averaged apart, for each tensor. A
/// plain mean of contributions that point to different sides is shorter than each of them.
///
///   direction <- (sum w |v| / sum w) phi(sum w phi(v)),   phi(x) = x / |x|, phi(0) = 0
///
/// Both sums are of what to_radial makes of each contribution, so they can be added like other values, in any order. Of
/// contributions that cancel each other out to the last bit, the direction is 0. Source: Decoupled DiLoCo (2604.21428).
///
/// @param values  [n] of a contribution
/// @returns       [n + tensors.size()]: phi of each tensor, or plain values, then the tensors' norms
std::vector<float> to_radial(std::span<const float> values, std::span<const PartTensor> tensors);

/// The direction that a mean of such values comes to.
/// @param mean  [n + tensors.size()]  @returns [n]
std::vector<float> from_radial(std::span<const float> mean, std::span<const PartTensor> tensors);

}  // namespace dipaco
