#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace dipaco {

/// How the values of an outer gradient are written for its way to the executor (outer.outer_gradient_format).
///
///   fp32  as they are, 4 bytes a value
///   bf16  the upper half of each float, rounded to nearest even: 2 bytes a value, relative error at most 2^-8
///         (from 2^-126 on: below, floats have fewer bits)
///   int8  blocks of kGradientBlock values, the last one may be shorter, one after the other: a float, the scale
///         max |x| / 127, then x / scale of each value in a signed byte, rounded to nearest even: 1.0625 bytes a value,
///         absolute error at most max |x| / 254 of the block
///
/// Choice: the paper names no format. Rounding is a function of the values alone, so it is the same
/// wherever an outer gradient is made, and is the same on every instruction set.
enum class GradientFormat : std::uint8_t { fp32, bf16, int8 };

/// Values of int8 that share a scale.
inline constexpr std::size_t kGradientBlock = 64;

/// The format of that name. REQUIRES one that the key allows.
GradientFormat gradient_format(std::string_view name);

/// Bytes of `count` values. REQUIRES that they fit 64 bits.
std::uint64_t encoded_size(GradientFormat format, std::uint64_t count);

/// The values, little-endian: encoded_size(format, values.size()) bytes. What is not finite stays so: in bf16 by
/// itself, in int8 with all values of its block, so that whoever adds them finds that the run has diverged.
std::vector<std::byte> encode_gradient(GradientFormat format, std::span<const float> values);

/// What is left of the values after encode_gradient: [count].
/// @throws std::logic_error where `bytes` are not encoded_size(format, count)
std::vector<float> decode_gradient(GradientFormat format, std::span<const std::byte> bytes, std::size_t count);

}  // namespace dipaco
