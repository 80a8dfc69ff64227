#pragma once

#include <cstddef>
#include <span>

namespace dipaco {

/// Bytes as libsodium takes them.
inline const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* raw(std::span<std::byte> bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

}  // namespace dipaco
