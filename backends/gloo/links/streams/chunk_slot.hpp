#pragma once

#include <gloo/transport/unbound_buffer.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/gloo/links/streams/pair.hpp"

namespace dipaco {

/// Bytes of a large message that go in one piece.
inline constexpr std::size_t kChunk = 2 * 1024 * 1024;

/// Memory that Gloo sends one chunk from, or receives it into: the sealed chunk; without a key its checksum, and the
/// chunk itself from or to where it lies. A chunk's number gives Gloo's slots, so that it finds its memory whatever
/// else is posted. Of a stream's thread, but for end_wait().
class ChunkSlot {
 public:
  explicit ChunkSlot(bool sealed);

  /// From here on over this connection, which must outlive its use. What was under way is no more; its bytes stay.
  void use(GlooLink& link);
  /// Room for a chunk of `plain` bytes, sealed; without a key for its checksum.
  std::span<std::byte> bytes(std::size_t plain);

  /// Sends what lies in bytes(), and without a key the chunk.
  /// @param from  bytes that the other side has: of the sealed chunk; without a key of the chunk
  void send(std::uint64_t number, std::span<const std::byte> chunk, std::size_t from);
  /// False once the wait was ended.
  bool wait_sent();

  /// @param into  the chunk  @param from  bytes that are there, as above
  void receive(std::uint64_t number, std::span<std::byte> into, std::size_t from);
  /// False once the wait was ended.
  bool wait_received();
  /// Once the connection has failed: whether all had come by then.
  bool came_whole();
  /// Where not all had come: bytes behind `from` that had.
  std::size_t came_in_part(std::uint64_t number) const;

  /// From any thread, once this connection is over, with Gloo's locks held: ends the waits for it, if this is the one
  /// that is used.
  void end_wait(const GlooLink& over);

 private:
  /// One of Gloo's buffers, and whether something is on its way to or from it.
  struct Part {
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
    bool under_way = false;
  };
  void lie_at(std::byte* bytes, std::size_t size);

  bool sealed_;
  GlooLink* link_ = nullptr;
  std::vector<std::byte> memory_;
  std::mutex mutex_;  ///< of which connection and which buffers there are
  Part bytes_;
  Part chunk_;
  std::size_t left_ = 0;  ///< bytes of a chunk that was to come where it lies
};

}  // namespace dipaco
