#include "core/base/hash.hpp"

#include <xxhash.h>

namespace dipaco {

std::uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string hash_hex(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string hash_hex(std::string_view text) { return hash_hex(std::as_bytes(std::span(text.data(), text.size()))); }

std::string hash_hex(std::span<const float> values) { return hash_hex(std::as_bytes(values)); }

}  // namespace dipaco
