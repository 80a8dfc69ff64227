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
  while (!waiting_.empty() && sending_bytes_ < kSendingAtOnce && next_goes()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    begin(std::move(next));
  }
  if (waiting_.empty()) hooks_.all_announced();
}

bool LargeSender::next_goes() {
  Waiting& next = waiting_.front();
  next.takes_turns = hooks_.turns.concerns(next.message);
  return !next.takes_turns || hooks_.turns.ask(next.message);
}

void LargeSender::begin(Waiting next) {
  const std::uint64_t number = next.number;
  Sending& sending = sending_[number];
  sending.message = std::move(next.message);
  sending.since = next.since;
  sending.takes_turns = next.takes_turns;
  const auto encoding = encode_apart(sending.message, sending.arrays);
  sending.head = head_of(sending.since, encoding);
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
    const Bytes there{sending.there};
    under_way.push_back({to, false, sending.message.kind(), Bytes{sending.size}, there, sending.since.count()});
  }
  for (const Waiting& next : waiting_) {
    under_way.push_back({to, false, next.message.kind(), next.message.wire_size, Bytes{}, next.since.count()});
  }
}

void LargeSender::chunk_came(std::uint64_t number, std::size_t bytes) {
  const auto sent = sending_.find(number);
  sent->second.there += bytes;
  if (--sent->second.chunks_held > 0) return;
  const bool took_turns = sent->second.takes_turns;
  sending_.erase(sent);
  if (took_turns) hooks_.turns.arrived();
  go_on();
}

}  // namespace dipaco
