#include "backends/gloo/links/streams/chunk_receiver.hpp"

#include <algorithm>
#include <utility>

#include "backends/gloo/links/sealing/handshake.hpp"

namespace dipaco {

void ChunkReceiver::carry(const std::atomic<bool>& interrupted) {
  while (!interrupted) {
    while (posted_ - first_ < kDepth && has_next()) post();
    if (posted_ == first_) {
      queue_.wait();
      continue;
    }
    if (!oldest().wait_received()) return;
    take_oldest();
  }
}

bool ChunkReceiver::has_next() {
  if (posted_ < first_ + pieces_.size()) return true;
  auto piece = queue_.take();
  if (!piece) return false;
  pieces_.push_back(std::move(*piece));
  return true;
}

void ChunkReceiver::post() {
  const Piece& piece = pieces_[posted_ - first_];
  slots_[posted_ % kDepth]->receive(posted_, piece.into, posted_ == first_ ? have_ : 0);
  ++posted_;
}

void ChunkReceiver::take_oldest() {
  const Piece piece = std::move(pieces_.front());
  const auto bytes = oldest().bytes(piece.into.size());
  const bool whole =
      sealed_ ? opener_.open({}, bytes, piece.into) : std::ranges::equal(checksum(first_, {}, piece.into), bytes);
  if (!whole) throw LinkError("a chunk was changed on its way");
  pieces_.pop_front();
  ++first_;
  have_ = 0;
  ++came_;
  piece.came();
}

StreamPlace ChunkReceiver::settle() {
  while (posted_ > first_ && oldest().came_whole()) take_oldest();
  if (posted_ > first_) have_ += oldest().came_in_part(first_);
  posted_ = first_;
  return {first_, have_};
}

}  // namespace dipaco
