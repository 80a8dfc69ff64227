#include "core/outer/outer_gradient.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr double kStep = 0x1p40;                 // fixed-point steps in 1
constexpr double kMagicDouble = 0x1.8p52;        // its last mantissa bit weighs 1
constexpr std::uint64_t kLargest = 1ULL << 50U;  // 1024 in steps

/// Adds a stretch; false where a value was not finite or too large.
bool add_stretch(std::int64_t* sum, const float* difference, double scale, std::size_t count) {
  const auto magic = std::bit_cast<std::uint64_t>(kMagicDouble);
  std::uint64_t seen = 0;
  for (std::size_t k = 0; k < count; ++k) {
    // Adding the magic number rounds to a whole step in the mantissa's low bits: vectorised, no conversion call. The
    // difference of the bit patterns is that number of steps; for what is too large, infinite or not a number it is
    // far off, which the bits above 2^51 of `steps + kLargest` show.
    const double rounded = static_cast<double>(difference[k]) * scale + kMagicDouble;
    const std::uint64_t steps = std::bit_cast<std::uint64_t>(rounded) - magic;
    seen |= steps + kLargest;
    sum[k] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[k]) + steps);
  }
  return seen < 2 * kLargest;
}

}  // namespace

std::vector<float> outer_gradient(std::span<const float> before, std::span<const float> after) {
  check(before.size() == after.size(), "before and after are of one module");
  std::vector<float> difference(before.size());
  for (std::size_t k = 0; k < before.size(); ++k) difference[k] = before[k] - after[k];
  return difference;
}

bool OuterAccumulator::try_add(std::span<const float> difference, double weight) {
  check(difference.size() == sum_.size(), "an outer gradient has its module's size");
  return add_stretch(sum_.data(), difference.data(), weight * kStep, sum_.size());
}

void OuterAccumulator::add(std::span<const float> difference, double weight, const std::string& who) {
  if (try_add(difference, weight)) return;
  throw DataError("the outer gradient of " + who +
                  " is not finite or above 1024: the run has diverged; lower inner.learning_rate or "
                  "outer.learning_rate");
}

std::optional<std::vector<std::byte>> OuterAccumulator::encode() const {
  constexpr std::int64_t kMost = std::int64_t{1} << (8 * kSumBytes - 1);
  std::vector<std::byte> bytes(kSumBytes * sum_.size());
  std::byte* out = bytes.data();
  for (const std::int64_t value : sum_) {
    if (value < -kMost || value >= kMost) return std::nullopt;
    for (std::size_t b = 0; b < kSumBytes; ++b) *out++ = static_cast<std::byte>(value >> (8 * b));
  }
  return bytes;
}

void OuterAccumulator::add_encoded(std::span<const std::byte> sum) {
  check(sum.size() == kSumBytes * sum_.size(), "a sum of outer gradients has its module's size");
  const std::byte* in = sum.data();
  for (std::int64_t& value : sum_) {
    std::uint64_t read = 0;
    for (std::size_t b = 0; b < kSumBytes; ++b)
      read |= static_cast<std::uint64_t>(*in++) << (64 - 8 * kSumBytes + 8 * b);
    value += static_cast<std::int64_t>(read) >> (64 - 8 * kSumBytes);  // with its sign
  }
}

std::vector<float> OuterAccumulator::mean(double scale) const {
  std::vector<float> values(sum_.size());
  const double factor = scale / kStep;
  for (std::size_t k = 0; k < sum_.size(); ++k) values[k] = static_cast<float>(static_cast<double>(sum_[k]) * factor);
  return values;
}

void OuterAccumulator::clear() { std::fill(sum_.begin(), sum_.end(), 0); }

std::vector<double> path_weights(std::span<const double> sizes) {
  const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  check(total > 0, "shard sizes add up to more than 0");
  std::vector<double> weights;
  for (const double size : sizes) weights.push_back(size / total);
  return weights;
}

}  // namespace dipaco
