#include "backends/gloo/links/streams/chunk_sender.hpp"

#include <algorithm>
#include <utility>

#include "backends/gloo/links/sealing/handshake.hpp"

namespace dipaco {
namespace {

/// To no less than `least`.
void raise(std::atomic<std::uint64_t>& count, std::uint64_t least) {
  std::uint64_t now = count;
  while (now < least && !count.compare_exchange_weak(now, least)) continue;
}

}  // namespace

void ChunkSender::came(std::uint64_t chunks) {
  raise(came_, chunks);
  queue_.wake();
}

void ChunkSender::carry(const std::atomic<bool>& interrupted) {
  while (!interrupted) {
    let_go();
    if (posted_ - sent_ < kDepth && has_next()) {
      post();
    } else if (posted_ > sent_) {
      if (!wait_for_oldest()) return;
    } else {
      queue_.wait();
    }
  }
}

bool ChunkSender::has_next() {
  if (posted_ < first_ + held_.size()) return true;
  auto piece = queue_.take();
  if (!piece) return false;
  held_.push_back(std::move(*piece));
  return true;
}

void ChunkSender::post() {
  const Piece& piece = held_[posted_ - first_];
  ChunkSlot& slot = *slots_[posted_ % kDepth];
  const auto bytes = slot.bytes(piece.bytes.size());
  if (sealed_) {
    sealer_.seal({}, piece.bytes, bytes);
  } else {
    std::ranges::copy(checksum(posted_, {}, piece.bytes), bytes.begin());
  }
  slot.send(posted_, piece.bytes, std::exchange(from_, 0));
  ++posted_;
}

bool ChunkSender::wait_for_oldest() {
  if (!slots_[sent_ % kDepth]->wait_sent()) return false;
  if (auto& sent = held_[sent_ - first_].sent) std::exchange(sent, {})();
  ++sent_;
  // Gloo sends a chunk when it is asked for.
  if (sent_ > kDepth) raise(came_, sent_ - kDepth);
  return true;
}

void ChunkSender::let_go() {
  while (first_ < std::min<std::uint64_t>(came_, sent_)) let_go_of_first();
}

void ChunkSender::let_go_of_first() {
  const Piece piece = std::move(held_.front());
  held_.pop_front();
  ++first_;
  if (piece.sent) piece.sent();
  piece.came();
}

void ChunkSender::go_on(const StreamPlace& place) {
  const bool known = place.chunks >= first_ && place.chunks <= posted_;
  const std::uint64_t most =
      known && place.chunks < posted_ ? held_[place.chunks - first_].bytes.size() + (sealed_ ? kSealOverhead : 0) : 0;
  if (!known || place.bytes > most) throw LinkError("a stream is to go on from where it has not been");
  sent_ = posted_ = place.chunks;
  from_ = place.bytes;
  raise(came_, place.chunks);
  if (sealed_) sealer_.go_back(place.chunks);
  let_go();
}

}  // namespace dipaco
