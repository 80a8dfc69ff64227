#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"

namespace dipaco {

/// How a small binary file starts: eight letters that name its format, and the format's version.
struct Seal {
  std::string_view magic;  ///< eight characters
  std::uint32_t version = 1;
  std::string_view noun;  ///< for errors: "checkpoint"
};

/// Bytes that a seal takes at a file's start.
inline constexpr std::size_t kSealSize = 12;

/// A writer that has the seal's 12 bytes in it; the body is appended by the caller.
ByteWriter begin_sealed(const Seal& seal);
/// The body's checksum (XXH3, over the seal too) goes behind it.
std::vector<std::byte> finish_sealed(ByteWriter writer);

/// @throws DataError naming `source` where `bytes` do not start with the seal: too short, another format or version.
void check_seal(std::span<const std::byte> bytes, const Seal& seal, const std::string& source);

/// A reader that stands behind the seal and ends before the checksum; its offsets count from the file's start.
/// @throws DataError naming `source`: another format, another version, truncated or damaged (the checksum differs).
ByteReader open_sealed(std::span<const std::byte> bytes, const Seal& seal, const std::string& source);

}  // namespace dipaco
