#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "backends/gloo/links/sealing/cipher.hpp"
#include "backends/gloo/links/streams/carrier.hpp"

namespace dipaco {

/// Receives a stream's chunks and opens them.
class ChunkReceiver : public Carrier {
 public:
  struct Piece {
    std::span<std::byte> into;  ///< as long as the chunk
    Done came;                  ///< it is there, and as it was sent
  };

  /// @param slots  must outlive this
  ChunkReceiver(ChunkSlots& slots, const std::optional<Key>& key) : slots_(slots), sealed_(key), opener_(key) {}

  /// From any thread.
  void put(Piece piece) {
    ++asked_;
    queue_.put(std::move(piece));
  }
  /// Chunks that are asked for and not there. From any thread.
  std::uint64_t owed() const { return asked_ - came_; }
  /// Chunks that are there. From any thread.
  std::uint64_t came() const { return came_; }

  void carry(const std::atomic<bool>& interrupted) override;
  StreamPlace settle() override;
  void go_on(const StreamPlace& /*place*/) override {}
  void wake() override { queue_.wake(); }

 private:
  bool has_next();
  void post();
  void take_oldest();
  ChunkSlot& oldest() { return *slots_[first_ % kDepth]; }

  ChunkSlots& slots_;
  bool sealed_;
  Opener opener_;
  Pieces<Piece> queue_;
  std::deque<Piece> pieces_;  ///< from chunk first_ on
  std::uint64_t first_ = 0;   ///< chunk that is not there
  std::uint64_t posted_ = 0;  ///< chunks that Gloo has room for
  std::uint64_t have_ = 0;    ///< bytes of the first that came over an earlier connection
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<std::uint64_t> came_{0};
};

}  // namespace dipaco
