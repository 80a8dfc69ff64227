#include "core/outer/gradient_format.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

static_assert(std::endian::native == std::endian::little, "messages are little-endian, written as they lie");

constexpr std::uint32_t kMagnitude = 0x7FFFFFFF;  // all bits of a float but its sign
constexpr std::uint32_t kInfinity = 0x7F800000;   // from here on magnitudes are not finite
constexpr std::uint32_t kNotANumber = 0x7FC00000;
constexpr float kLevels = 127;
constexpr float kMagicFloat = 0x1.8p23F;  // its last mantissa bit weighs 1

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // Adding less than half of the last bit that stays, or half where that bit is odd, rounds to nearest even. A number
  // that is none might round to infinity, or over the sign to zero.
  const std::uint32_t rounded = bits + 0x7FFF + (bits >> 16U & 1U);
  return static_cast<std::uint16_t>(((bits & kMagnitude) > kInfinity ? bits | kNotANumber : rounded) >> 16U);
}

void encode_bf16(std::span<const float> values, std::byte* out) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::uint16_t half = to_bf16(values[k]);
    std::memcpy(out + k * sizeof half, &half, sizeof half);
  }
}

void decode_bf16(const std::byte* bytes, std::span<float> values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes + k * sizeof half, sizeof half);
    values[k] = std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16U);
  }
}

/// Of a block: not a number where one of its values is not finite.
float scale_of(std::span<const float> block) {
  std::uint32_t largest = 0;  // magnitudes are in the order of their bits
  for (const float value : block) largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & kMagnitude);
  return std::bit_cast<float>(largest < kInfinity ? largest : kNotANumber) / kLevels;
}

void encode_block(std::span<const float> block, std::byte* out) {
  const float scale = scale_of(block);
  std::memcpy(out, &scale, sizeof scale);
  out += sizeof scale;
  if (!(scale > 0)) {
    std::memset(out, 0, block.size());
    return;
  }
  const auto magic = std::bit_cast<std::int32_t>(kMagicFloat);
  for (std::size_t k = 0; k < block.size(); ++k) {
    // Adding the magic number rounds to a whole number in the mantissa's low bits: vectorised, no conversion call. A
    // scale of few bits may lie below the largest value / 127.
    const float level = std::clamp(block[k] / scale, -kLevels, kLevels);
    out[k] = static_cast<std::byte>(std::bit_cast<std::int32_t>(level + kMagicFloat) - magic);
  }
}

void decode_block(const std::byte* bytes, std::span<float> block) {
  float scale = 0;
  std::memcpy(&scale, bytes, sizeof scale);
  bytes += sizeof scale;
  for (std::size_t k = 0; k < block.size(); ++k) {
    block[k] = scale * static_cast<float>(static_cast<std::int8_t>(bytes[k]));
  }
}

/// Calls each(block, where its bytes begin) for all blocks of `values`.
template <class T, class Each>
void for_each_block(std::span<T> values, const Each& each) {
  for (std::size_t begin = 0; begin < values.size(); begin += kGradientBlock) {
    const std::size_t size = std::min(kGradientBlock, values.size() - begin);
    each(values.subspan(begin, size), encoded_size(GradientFormat::int8, begin));
  }
}

}  // namespace

GradientFormat gradient_format(std::string_view name) {
  if (name == "bf16") return GradientFormat::bf16;
  if (name == "int8") return GradientFormat::int8;
  check(name == "fp32", "outer gradients have a known format");
  return GradientFormat::fp32;
}

std::uint64_t encoded_size(GradientFormat format, std::uint64_t count) {
  switch (format) {
    case GradientFormat::fp32:
      return count * sizeof(float);
    case GradientFormat::bf16:
      return count * sizeof(std::uint16_t);
    case GradientFormat::int8:
      return count + (count / kGradientBlock + (count % kGradientBlock == 0 ? 0 : 1)) * sizeof(float);
  }
  check(false, "outer gradients have a known format");
  return 0;
}

std::vector<std::byte> encode_gradient(GradientFormat format, std::span<const float> values) {
  std::vector<std::byte> bytes(encoded_size(format, values.size()));
  if (format == GradientFormat::bf16) {
    encode_bf16(values, bytes.data());
  } else if (format == GradientFormat::int8) {
    for_each_block(values,
                   [&](std::span<const float> block, std::size_t at) { encode_block(block, bytes.data() + at); });
  } else if (!values.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

std::vector<float> decode_gradient(GradientFormat format, std::span<const std::byte> bytes, std::size_t count) {
  check(bytes.size() == encoded_size(format, count), "an outer gradient has the bytes of its format");
  std::vector<float> values(count);
  if (format == GradientFormat::bf16) {
    decode_bf16(bytes.data(), values);
  } else if (format == GradientFormat::int8) {
    for_each_block(std::span(values),
                   [&](std::span<float> block, std::size_t at) { decode_block(bytes.data() + at, block); });
  } else if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  return values;
}

}  // namespace dipaco
