#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace dipaco {

using Key = std::array<std::uint8_t, 32>;

/// What all nodes of a run share and nobody else knows. Every key of the run is derived from it, one for each purpose.
class Secret {
 public:
  /// The bytes of `file`, white space at their end left out.
  /// @throws ConfigError where it cannot be read or has fewer than 16 bytes: those could be guessed
  static Secret from_file(const std::filesystem::path& file);

  explicit Secret(std::span<const std::byte> bytes);

  /// BLAKE2b of the purpose, keyed by the secret.
  Key derive(std::string_view purpose) const;

 private:
  Key key_;
};

/// BLAKE2b of `text` with `key`: what proves knowledge of it, and what is hard to guess without it.
Key keyed_hash(const Key& key, std::span<const std::byte> text);

}  // namespace dipaco
