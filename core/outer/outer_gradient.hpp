#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/outer/gradient_format.hpp"

namespace dipaco {

/// The outer gradient of one path in one module: difference[k] = before[k] - after[k] (Alg. 1 line 13). Whoever makes
/// one, a worker or an executor that lost it, uses this function, so that its bits are the same.
/// @param before, after  [n] @throws std::logic_error where the lengths differ
std::vector<float> outer_gradient(std::span<const float> before, std::span<const float> after);

/// The weighted sum of outer gradients of one module, exact: int64 in steps of 2^-40, so neither the order nor the
/// place of additions changes a bit, and one accumulator serves however many paths there are (Alg. 1 line 13, Eq. 2-3).
///
///   sum[k] <- sum[k] + round(weight * difference[k] * 2^40)
///
/// A weighted difference must stay below 1024, far above any that a run that learns has.
class OuterAccumulator {
 public:
  explicit OuterAccumulator(std::size_t size) : sum_(size) {}

  /// @param who  names path and module in the error
  /// @throws DataError where a value is not finite or out of range, so that the run has diverged; the sum is then void.
  void add(std::span<const float> difference, double weight, const std::string& who);
  /// The same; false where add() throws.
  bool try_add(std::span<const float> difference, double weight);
  /// The sum as it is, kSumBytes a value, little-endian; nullopt where one of them is 1/2 or more, or less than -1/2.
  std::optional<std::vector<std::byte>> encode() const;
  /// Adds a sum that encode() has written. @throws std::logic_error where it is of another number of values
  void add_encoded(std::span<const std::byte> sum);
  /// The sum as floats, times `scale`. Leaves the sum.
  std::vector<float> mean(double scale) const;
  void clear();
  std::size_t size() const { return sum_.size(); }

 private:
  std::vector<std::int64_t> sum_;
};

/// The weight of each path in a module's mean, alpha of Eq. 2-3. Choice: normalised over the paths through the module,
/// which makes the mean unbiased and is line 13's 1/P_le where shards are equal.
/// @param sizes  |D_i| of the paths through the module, or equal numbers
std::vector<double> path_weights(std::span<const double> sizes);

}  // namespace dipaco
