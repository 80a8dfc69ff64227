#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "backends/gloo/links/sealing/cipher.hpp"
#include "backends/gloo/links/streams/carrier.hpp"

namespace dipaco {

/// Seals a stream's chunks and sends them. Keeps each until it has come, and not only until the system has taken it:
/// over another connection it goes on from where the receiver says.
class ChunkSender : public Carrier {
 public:
  struct Piece {
    std::span<const std::byte> bytes;  ///< stay as they are until `came`
    Done sent;                         ///< the system has taken it
    Done came;                         ///< the other side has all of it
  };

  /// @param slots  must outlive this
  ChunkSender(ChunkSlots& slots, const std::optional<Key>& key) : slots_(slots), sealed_(key), sealer_(key) {}

  /// From any thread.
  void put(Piece piece) { queue_.put(std::move(piece)); }
  /// The other side says that it has so many. From any thread.
  void came(std::uint64_t chunks);

  void carry(const std::atomic<bool>& interrupted) override;
  StreamPlace settle() override { return {first_, 0}; }
  void go_on(const StreamPlace& place) override;
  void wake() override { queue_.wake(); }
  /// Whether a chunk had gone that the other side, which has come to `place`, has not got. Before go_on().
  bool sent_beyond(const StreamPlace& place) const { return sent_ > place.chunks || place.bytes > 0; }

 private:
  bool has_next();
  void post();
  bool wait_for_oldest();
  void let_go();
  void let_go_of_first();

  ChunkSlots& slots_;
  bool sealed_;
  Sealer sealer_;
  Pieces<Piece> queue_;
  std::deque<Piece> held_;              ///< from chunk first_ on: those that are not known to have come
  std::uint64_t first_ = 0;             ///< chunk
  std::uint64_t sent_ = 0;              ///< chunks that the system has taken
  std::uint64_t posted_ = 0;            ///< chunks that Gloo has been given
  std::uint64_t from_ = 0;              ///< bytes of the next chunk that the other side has already
  std::atomic<std::uint64_t> came_{0};  ///< chunks, as the other side has said, or shown by asking for more
};

}  // namespace dipaco
