#include "core/outer/e3m0.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace dipaco {
namespace {

constexpr std::size_t kBlockBytes = 1 + kE3m0Block / 2;
constexpr int kBias = 127;
constexpr int kLeastExponent = -127;
constexpr int kMostExponent = 123;  // 16 S is finite
constexpr std::uint32_t kNoSign = 0x7FFFFFFF;
constexpr std::uint32_t kFirstNotFinite = 0x7F800000;
constexpr auto kNotFinite = std::byte{255};

/// s of a block whose largest magnitude is `largest`: the least with largest <= 2^(s + 4).
int exponent_of(float largest) {
  if (largest == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(largest, &exponent);  // largest = fraction * 2^exponent, fraction in [0.5, 1)
  if (fraction == 0.5F) --exponent;
  return std::clamp(exponent - 4, kLeastExponent, kMostExponent);
}

/// Of a value over S.
unsigned nibble(float value) {
  const float m = std::abs(value);
  const int code = (m > 0.125F ? 1 : 0) + (m >= 0.375F ? 1 : 0) + (m > 0.75F ? 1 : 0) + (m >= 1.5F ? 1 : 0) +
                   (m > 3 ? 1 : 0) + (m >= 6 ? 1 : 0) + (m > 12 ? 1 : 0);
  return static_cast<unsigned>(code) | (std::bit_cast<std::uint32_t>(value) >> 31U << 3U);
}

void encode_powers(std::span<const float> block, std::byte* out) {
  std::uint32_t largest = 0;  // magnitudes are in the order of their bits
  for (const float value : block) largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & kNoSign);
  std::fill_n(out, 1 + (block.size() + 1) / 2, std::byte{0});
  if (largest >= kFirstNotFinite) {
    out[0] = kNotFinite;
    return;
  }
  const int exponent = exponent_of(std::bit_cast<float>(largest));
  out[0] = static_cast<std::byte>(kBias + exponent);
  const float inverse = std::ldexp(1.0F, -exponent);
  for (std::size_t k = 0; k < block.size(); ++k) {
    out[1 + k / 2] |= static_cast<std::byte>(nibble(block[k] * inverse) << (k % 2 * 4));
  }
}

void decode_powers(const std::byte* bytes, std::span<float> block) {
  if (bytes[0] == kNotFinite) {
    std::ranges::fill(block, std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const float scale = std::ldexp(1.0F, std::to_integer<int>(bytes[0]) - kBias);
  constexpr std::array<float, 8> kValues{0, 0.25F, 0.5F, 1, 2, 4, 8, 16};
  for (std::size_t k = 0; k < block.size(); ++k) {
    const unsigned code = std::to_integer<unsigned>(bytes[1 + k / 2]) >> (k % 2 * 4) & 15U;
    const float magnitude = kValues[code & 7U] * scale;
    block[k] = (code & 8U) != 0 ? -magnitude : magnitude;
  }
}

}  // namespace

std::uint64_t e3m0_size(std::uint64_t count) {
  const std::uint64_t rest = count % kE3m0Block;
  return count / kE3m0Block * kBlockBytes + (rest == 0 ? 0 : 1 + (rest + 1) / 2);
}

void encode_e3m0(std::span<const float> values, std::byte* out) {
  for (std::size_t begin = 0; begin < values.size(); begin += kE3m0Block) {
    encode_powers(values.subspan(begin, std::min(kE3m0Block, values.size() - begin)), out);
    out += kBlockBytes;
  }
}

void decode_e3m0(const std::byte* bytes, std::span<float> values) {
  for (std::size_t begin = 0; begin < values.size(); begin += kE3m0Block) {
    decode_powers(bytes, values.subspan(begin, std::min(kE3m0Block, values.size() - begin)));
    bytes += kBlockBytes;
  }
}

}  // namespace dipaco
