#include "backends/gloo/links/large_sender.hpp"

#include <algorithm>

#include "backends/gloo/links/streams/chunk_slot.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {
namespace {

/// Bytes of large messages that are on the streams at once.
constexpr std::uint64_t kSendingAtOnce = 64 << 20;

template <class Byte, class Take>
std::size_t cut(std::span<Byte> bytes, Take take) {
  std::size_t chunks = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
    take(bytes.subspan(at, std::min(kChunk, bytes.size() - at)));
    ++chunks;
  }
  return chunks;
}

/// @param take  is given a chunk's size
template <class Take>
std::size_t cut_padding(std::uint64_t padding, Take take) {
  std::size_t chunks = 0;
  for (; padding > 0; ++chunks) {
    const std::size_t size = std::min<std::uint64_t>(kChunk, padding);
    take(size);
    padding -= size;
  }
  return chunks;
}

}  // namespace

std::vector<std::byte> head_of(Seconds sent, std::span<const std::byte> encoding) {
  ByteWriter writer;
  writer.expect(sizeof(double) + sizeof(std::uint64_t) + encoding.size());
  writer.value(sent.count());
  writer.array(encoding);
  return writer.take();
}

void LargeSender::go_on() {
  if (waiting_.empty()) return;
  while (!waiting_.empty() && sending_bytes_ < kSendingAtOnce) {
    const std::uint64_t number = waiting_.front().first;
    Message message = std::move(waiting_.front().second);
    waiting_.pop_front();
    begin(number, std::move(message));
  }
  if (waiting_.empty()) hooks_.all_announced();
}

void LargeSender::begin(std::uint64_t number, Message message) {
  Sending& sending = sending_[number];
  sending.message = std::move(message);
  const auto encoding = encode_apart(sending.message, sending.arrays);
  sending.head = head_of(hooks_.now(), encoding);
  Announce announce{.number = number, .head = sending.head.size()};
  std::uint64_t encoded = encoding.size();
  for (const LongArray& array : sending.arrays) {
    announce.arrays.push_back({array.kind, array.bytes.size()});
    encoded += array.bytes.size();
  }
  const std::uint64_t charged = sending.message.wire_size.value;
  announce.padding = charged > encoded ? charged - encoded : 0;
  sending.size = encoded + announce.padding;
  sending_bytes_ += sending.size;
  hooks_.announce(announce);
  send_chunks(sending, number, announce.padding);
}

void LargeSender::send_chunks(Sending& sending, std::uint64_t number, std::uint64_t padding) {
  const auto send_one = [&](std::span<const std::byte> chunk) {
    streams_.at(streams_.next(Stream::Way::sends))
        .send({.bytes = chunk,
               .sent = hooks_.later([this, number] { chunk_sent(number); }),
               .came = hooks_.later([this, number, size = chunk.size()] { chunk_came(number, size); })});
  };
  sending.chunks_left = cut(std::span<const std::byte>(sending.head), send_one);
  for (const LongArray& array : sending.arrays) sending.chunks_left += cut(array.bytes, send_one);
  if (padding > 0) zeros_.resize(kChunk);
  sending.chunks_left += cut_padding(padding, [&](std::size_t size) { send_one(std::span(zeros_).first(size)); });
  sending.chunks_held = sending.chunks_left;
}

void LargeSender::chunk_sent(std::uint64_t number) {
  Sending& sent = sending_.at(number);
  if (--sent.chunks_left > 0) return;
  sending_bytes_ -= sent.size;
  go_on();
}

void LargeSender::tell(NodeId to, std::vector<UnderWay>& under_way) const {
  for (const auto& [number, sending] : sending_) {
    under_way.push_back({to, false, sending.message.kind(), Bytes{sending.size}, Bytes{sending.there}});
  }
  for (const auto& [number, message] : waiting_) under_way.push_back({to, false, message.kind(), message.wire_size});
}

void LargeSender::chunk_came(std::uint64_t number, std::size_t bytes) {
  const auto sent = sending_.find(number);
  sent->second.there += bytes;
  if (--sent->second.chunks_held == 0) sending_.erase(sent);
}

}  // namespace dipaco
