#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dipaco {

/// 64-bit XXH3 of bytes: the checksum of files and messages.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// 128-bit XXH3 as 32 hexadecimal digits: names prepared stages, configurations and parameters.
/// Not cryptographic: it guards against damage and mix-ups, not against an attacker.
std::string hash_hex(std::span<const std::byte> bytes);
std::string hash_hex(std::string_view text);
/// Of the floats' bytes: equal only where all values are equal bit for bit.
std::string hash_hex(std::span<const float> values);

}  // namespace dipaco
