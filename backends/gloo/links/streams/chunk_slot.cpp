#include "backends/gloo/links/streams/chunk_slot.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "backends/gloo/links/sealing/cipher.hpp"

namespace dipaco {

ChunkSlot::ChunkSlot(bool sealed) : sealed_(sealed), memory_(kSealOverhead + (sealed ? kChunk : 0)) {}

void ChunkSlot::use(GlooLink& link) {
  Part bytes{link.buffer(memory_.data(), memory_.size())};
  Part chunk;
  const std::lock_guard lock(mutex_);
  link_ = &link;
  std::swap(bytes_, bytes);
  std::swap(chunk_, chunk);
}

std::span<std::byte> ChunkSlot::bytes(std::size_t plain) {
  return std::span(memory_).first(kSealOverhead + (sealed_ ? plain : 0));
}

void ChunkSlot::send(std::uint64_t number, std::span<const std::byte> chunk, std::size_t from) {
  const std::size_t skipped = sealed_ ? from : 0;
  if (!sealed_ && from < chunk.size()) {
    // Gloo has one type for both directions; it reads here.
    lie_at(const_cast<std::byte*>(chunk.data()) + from, chunk.size() - from);
    chunk_.buffer->send(GlooLink::kPeer, 2 * number + 1);
    chunk_.under_way = true;
  }
  bytes_.buffer->send(GlooLink::kPeer, 2 * number, skipped, bytes(chunk.size()).size() - skipped);
  bytes_.under_way = true;
}

bool ChunkSlot::wait_sent() {
  for (Part* const part : {&chunk_, &bytes_}) {
    if (part->under_way && !part->buffer->waitSend()) return false;
    part->under_way = false;
  }
  return true;
}

void ChunkSlot::receive(std::uint64_t number, std::span<std::byte> into, std::size_t from) {
  const std::size_t skipped = sealed_ ? from : 0;
  left_ = sealed_ ? 0 : into.size() - from;
  bytes_.buffer->recv(GlooLink::kPeer, 2 * number, skipped, bytes(into.size()).size() - skipped);
  bytes_.under_way = true;
  if (left_ == 0) return;
  lie_at(into.data() + from, left_);
  chunk_.buffer->recv(GlooLink::kPeer, 2 * number + 1);
  chunk_.under_way = true;
}

bool ChunkSlot::wait_received() {
  for (Part* const part : {&chunk_, &bytes_}) {
    if (part->under_way && !part->buffer->waitRecv()) return false;
    part->under_way = false;
  }
  return true;
}

bool ChunkSlot::came_whole() {
  for (Part* const part : {&chunk_, &bytes_}) {
    // The first time may tell of no more than that the wait was ended.
    for (int times = 0; times < 2 && part->under_way; ++times) {
      try {
        part->under_way = !part->buffer->waitRecv(nullptr, std::chrono::milliseconds(0));
      } catch (const std::exception&) {
        // It has not come.
      }
    }
  }
  return !chunk_.under_way && !bytes_.under_way;
}

std::size_t ChunkSlot::came_in_part(std::uint64_t number) const {
  if (!sealed_ && !chunk_.under_way) return left_;
  return link_->half_received(sealed_ ? 2 * number : 2 * number + 1);
}

void ChunkSlot::end_wait(const GlooLink& over) {
  const std::lock_guard lock(mutex_);
  if (link_ != &over) return;
  for (auto* const buffer : {bytes_.buffer.get(), chunk_.buffer.get()}) {
    if (buffer == nullptr) continue;
    buffer->abortWaitSend();
    buffer->abortWaitRecv();
  }
}

void ChunkSlot::lie_at(std::byte* bytes, std::size_t size) {
  Part part{link_->buffer(bytes, size)};
  const std::lock_guard lock(mutex_);
  std::swap(chunk_, part);
}

}  // namespace dipaco
