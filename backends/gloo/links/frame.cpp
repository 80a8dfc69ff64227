#include "backends/gloo/links/frame.hpp"

#include <algorithm>
#include <cstring>

#include "backends/gloo/links/sealing/cipher.hpp"
#include "backends/gloo/links/sealing/handshake.hpp"

namespace dipaco {

FrameHeaderBytes encode(const FrameHeader& header) {
  FrameHeaderBytes bytes{};
  std::memcpy(bytes.data(), &header.size, sizeof header.size);
  bytes[sizeof header.size] = std::byte{static_cast<std::uint8_t>(header.kind)};
  return bytes;
}

FrameHeader decode_frame_header(const FrameHeaderBytes& bytes) {
  FrameHeader header;
  std::memcpy(&header.size, bytes.data(), sizeof header.size);
  header.kind = static_cast<FrameKind>(bytes[sizeof header.size]);
  const auto rest = std::span(bytes).subspan(sizeof header.size + 1);
  const bool clean = std::ranges::all_of(rest, [](std::byte b) { return b == std::byte{0}; });
  if (!clean || header.kind > kLastFrameKind || header.size < kSealOverhead ||
      header.size > kLargestPayload + kSealOverhead) {
    throw LinkError("what came is no frame");
  }
  return header;
}

}  // namespace dipaco
