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
    each(values.subspan(begin, std::min(kGradientBlock, values.size() - begin)), int8_size(begin));
  }
}

constexpr bool in_order() {
  for (std::size_t k = 0; k < kGradientFormatTable.size(); ++k) {
    if (kGradientFormatTable[k].format != static_cast<GradientFormat>(k)) return false;
  }
  return true;
}
static_assert(in_order());

const GradientFormatRow& row_of(GradientFormat format) {
  const auto number = static_cast<std::size_t>(format);
  check(number < kGradientFormatTable.size(), "outer gradients have a known format");
  return kGradientFormatTable[number];
}

}  // namespace

std::uint64_t fp32_size(std::uint64_t count) { return count * sizeof(float); }

std::uint64_t bf16_size(std::uint64_t count) { return count * sizeof(std::uint16_t); }

std::uint64_t int8_size(std::uint64_t count) {
  return count + (count / kGradientBlock + (count % kGradientBlock == 0 ? 0 : 1)) * sizeof(float);
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

void encode_int8(std::span<const float> values, std::byte* out) {
  for_each_block(values, [=](std::span<const float> block, std::size_t at) { encode_block(block, out + at); });
}

void decode_int8(const std::byte* bytes, std::span<float> values) {
  for_each_block(values, [=](std::span<float> block, std::size_t at) { decode_block(bytes + at, block); });
}

void encode_fp32(std::span<const float> values, std::byte* out) {
  if (!values.empty()) std::memcpy(out, values.data(), values.size_bytes());
}

void decode_fp32(const std::byte* bytes, std::span<float> values) {
  if (!values.empty()) std::memcpy(values.data(), bytes, values.size_bytes());
}

std::vector<std::string> gradient_format_names() {
  std::vector<std::string> names;
  for (const GradientFormatRow& row : kGradientFormatTable) names.emplace_back(row.name);
  return names;
}

GradientFormat gradient_format(std::string_view name) {
  const auto found = std::ranges::find(kGradientFormatTable, name, &GradientFormatRow::name);
  check(found != kGradientFormatTable.end(), "outer gradients have a known format");
  return found->format;
}

std::uint64_t encoded_size(GradientFormat format, std::uint64_t count) { return row_of(format).size(count); }

std::vector<std::byte> encode_gradient(GradientFormat format, std::span<const float> values) {
  std::vector<std::byte> bytes(encoded_size(format, values.size()));
  row_of(format).encode(values, bytes.data());
  return bytes;
}

std::vector<float> decode_gradient(GradientFormat format, std::span<const std::byte> bytes, std::size_t count) {
  check(bytes.size() == encoded_size(format, count), "an outer gradient has the bytes of its format");
  std::vector<float> values(count);
  row_of(format).decode(bytes.data(), values);
  return values;
}

}  // namespace dipaco
