#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "backends/gloo/links/sealing/secret.hpp"

namespace dipaco {

/// What a frame grows by when it is sealed.
inline constexpr std::size_t kSealOverhead = 16;

/// XXH3-128, against damage alone.
using Checksum = std::array<std::byte, kSealOverhead>;
Checksum checksum(std::uint64_t number, std::span<const std::byte> header, std::span<const std::byte> plain);

/// Seals the frames of one direction of one connection, one after the other. With a key they are encrypted and
/// authenticated (ChaCha20-Poly1305, the frame's number is the nonce), without one they get a checksum (XXH3-128) over
/// their number and bytes. What was flipped, left out, repeated or reordered does not open.
class Sealer {
 public:
  explicit Sealer(const std::optional<Key>& key) : key_(key) {}
  /// @param header  goes in the open, and is covered
  /// @param sealed  [plain.size() + kSealOverhead], another place than `plain`
  void seal(std::span<const std::byte> header, std::span<const std::byte> plain, std::span<std::byte> sealed);
  /// The next is frame `number` once more. REQUIRES: its bytes are those that it had, or whoever saw both can open both
  void go_back(std::uint64_t number);

 private:
  std::optional<Key> key_;
  std::uint64_t number_ = 0;
};

/// Opens what the Sealer of the other side has sealed.
class Opener {
 public:
  explicit Opener(const std::optional<Key>& key) : key_(key) {}
  /// False where it is not the next frame as it was sealed; nothing opens from then on.
  /// @param plain  [sealed.size() - kSealOverhead], another place than `sealed`
  bool open(std::span<const std::byte> header, std::span<const std::byte> sealed, std::span<std::byte> plain);

 private:
  std::optional<Key> key_;
  std::uint64_t number_ = 0;
  bool broken_ = false;
};

}  // namespace dipaco
