#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/outer/e3m0.hpp"

namespace dipaco {

/// How the values of an outer gradient are written for its way to the executor (outer.outer_gradient_format).
///
///   fp32  as they are, 4 bytes a value
///   bf16  the upper half of each float, rounded to nearest even: 2 bytes a value, relative error at most 2^-8
///         (from 2^-126 on: below, floats have fewer bits)
///   int8  blocks of kGradientBlock values, the last one may be shorter, one after the other: a float, the scale
///         max |x| / 127, then x / scale of each value in a signed byte, rounded to nearest even: 1.0625 bytes a value,
///         absolute error at most max |x| / 254 of the block
///   e3m0  a sign and a power of two for each value, in blocks with a scale: e3m0.hpp
///
/// Choice: the paper names no format. Rounding is a function of the values alone, so it is the same
/// wherever an outer gradient is made, and is the same on every instruction set. The order is part of the wire format.
enum class GradientFormat : std::uint8_t { fp32, bf16, int8, e3m0 };

/// Bytes of a value of a site's sum, which is exact whatever the format: OuterAccumulator::encode.
inline constexpr std::size_t kSumBytes = 5;

/// Values of int8 that share a scale.
inline constexpr std::size_t kGradientBlock = 64;

// Of each format: the bytes of so many values, and what writes and reads them (gradient_format.cpp; e3m0.hpp).
std::uint64_t fp32_size(std::uint64_t count);
void encode_fp32(std::span<const float> values, std::byte* out);
void decode_fp32(const std::byte* bytes, std::span<float> values);
std::uint64_t bf16_size(std::uint64_t count);
void encode_bf16(std::span<const float> values, std::byte* out);
void decode_bf16(const std::byte* bytes, std::span<float> values);
std::uint64_t int8_size(std::uint64_t count);
void encode_int8(std::span<const float> values, std::byte* out);
void decode_int8(const std::byte* bytes, std::span<float> values);

/// What there is to a format.
struct GradientFormatRow {
  GradientFormat format{};
  std::string_view name;  ///< that outer.outer_gradient_format gives it
  /// Bytes of so many values.
  std::uint64_t (*size)(std::uint64_t count) = nullptr;
  /// Writes size(values.size()) bytes.
  void (*encode)(std::span<const float> values, std::byte* out) = nullptr;
  /// Reads as many.
  void (*decode)(const std::byte* bytes, std::span<float> values) = nullptr;
};

/// All formats, in the order of GradientFormat.
inline constexpr std::array kGradientFormatTable{
    GradientFormatRow{GradientFormat::fp32, "fp32", fp32_size, encode_fp32, decode_fp32},
    GradientFormatRow{GradientFormat::bf16, "bf16", bf16_size, encode_bf16, decode_bf16},
    GradientFormatRow{GradientFormat::int8, "int8", int8_size, encode_int8, decode_int8},
    GradientFormatRow{GradientFormat::e3m0, "e3m0", e3m0_size, encode_e3m0, decode_e3m0},
};
std::vector<std::string> gradient_format_names();

/// The format of that name. @throws std::logic_error where there is none
GradientFormat gradient_format(std::string_view name);

/// Bytes of `count` values. REQUIRES that they fit 64 bits.
std::uint64_t encoded_size(GradientFormat format, std::uint64_t count);

/// The values, little-endian: encoded_size(format, values.size()) bytes. What is not finite stays so: in bf16 by
/// itself, in int8 and e3m0 with all values of its block, so that whoever adds them finds that the run has diverged.
std::vector<std::byte> encode_gradient(GradientFormat format, std::span<const float> values);

/// What is left of the values after encode_gradient: [count].
/// @throws std::logic_error where `bytes` are not encoded_size(format, count)
std::vector<float> decode_gradient(GradientFormat format, std::span<const std::byte> bytes, std::size_t count);

}  // namespace dipaco
