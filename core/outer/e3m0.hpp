#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dipaco {

/// Values of e3m0 that share a scale.
inline constexpr std::size_t kE3m0Block = 256;

// The gradient format e3m0 (gradient_format.hpp): a sign, three bits of exponent and no mantissa, as Streaming DiLoCo
// (2501.18512) sends outer gradients: 129 / 256 = 0.504 bytes a value. The last of the blocks may be shorter. A block
// is
//
//   a byte    127 + s, where the scale S = 2^s is the least power of two with max |x| <= 16 S, from 2^-127 to 2^123;
//             255: a value of the block is not finite, and all are read as not a number
//   nibbles   of each value, the low half of a byte first: bit 3 the sign, below it a code c: 0 for c = 0, else
//             2^(c-3) S, which is from S / 4 to 16 S
//
// x / S is rounded to the nearest of these, at the middle between two to the even code: 0.125, 0.375, 0.75, 1.5, 3, 6
// and 12 are the middles. What is at most 2^-130 is below the least scale, and becomes 0. Choice: the paper gives
// neither scale nor rounding; middles on a logarithmic scale would make values larger by 5.7 % on average.

/// Bytes of so many values.
std::uint64_t e3m0_size(std::uint64_t count);
/// Writes the values. @param out  [e3m0_size(values.size())] bytes
void encode_e3m0(std::span<const float> values, std::byte* out);
/// Fills `values` with what is left of them. @param bytes  [e3m0_size(values.size())]
void decode_e3m0(const std::byte* bytes, std::span<float> values);

}  // namespace dipaco
