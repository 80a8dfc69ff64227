#include <algorithm>
#include <exception>
#include <utility>

#include "backends/gloo/links/session.hpp"
#include "core/transport/large.hpp"
#include "core/transport/messages.hpp"

// A link's messages: small ones whole, large ones in chunks, delivered in the order in which they were sent.

namespace dipaco {
namespace {

/// Bytes of large messages that are on the streams at once.
constexpr std::uint64_t kSendingAtOnce = 64 << 20;
/// Chunks that are asked for at once of a stream: it has the next at hand.
constexpr std::size_t kAskedAtOnce = 8;

/// What goes over a link of a message, but for its long arrays: when it was sent, and its encoding.
std::vector<std::byte> head_of(Seconds sent, std::span<const std::byte> encoding) {
  ByteWriter writer;
  writer.expect(sizeof(double) + sizeof(std::uint64_t) + encoding.size());
  writer.value(sent.count());
  writer.array(encoding);
  return writer.take();
}

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

void Session::send(const Message& message) {
  const std::uint64_t number = sent_messages_++;
  const bool small = message.wire_size <= kLargestSmall;
  const auto encoding = small ? encode(message) : std::vector<std::byte>();
  if (!small || encoding.size() > kLargestSmall.value) {  // it may carry more than it is charged for
    large_.emplace_back(number, message);
    return send_large();
  }
  ByteWriter writer;
  writer.value(number);
  writer.raw(head_of(hooks_.now(), encoding));
  auto bytes = writer.take();
  // Of values that are only charged for, as many bytes go as they stand for.
  if (encoding.size() < message.wire_size.value) bytes.resize(bytes.size() + message.wire_size.value - encoding.size());
  send(FrameKind::message, std::move(bytes));
}

void Session::whole(std::uint64_t number, Received message) {
  if (number < next_ || early_.contains(number)) throw LinkError("a message came twice");
  early_.emplace(number, std::move(message));
  while (!over_ && !early_.empty() && early_.begin()->first == next_) {
    const auto next = early_.extract(early_.begin());
    ++next_;
    deliver(next.mapped());
  }
}

void Session::deliver(const Received& message) {
  const std::string source = "a message of node " + std::to_string(index(name_.peer));
  ByteReader reader(message.head, source);
  const Seconds sent(reader.value<double>());
  const auto size = reader.value<std::uint64_t>();
  const auto encoding = reader.raw(size);
  hooks_.arrived({name_.peer, sent, decode_apart(encoding, message.arrays, source)}, message.size);
}

void Session::taken(std::uint64_t bytes) {
  waiting_ -= std::min(bytes, waiting_);
  if (!over_) receive_large();
}

void Session::ask_for_streams() {
  if (streams_asked_) return;
  streams_asked_ = true;
  if (!name_.initiator) return send(FrameKind::want_streams, {});
  streams_.resize(std::size_t{2} * options_.streams);
  hooks_.open_streams(2 * options_.streams);
}

Stream::Way Session::way(const OpenStream& which) const {
  const bool from_initiator = which.stream < which.streams / 2;
  return from_initiator == name_.initiator ? Stream::Way::sends : Stream::Way::receives;
}

std::size_t Session::stream_of(std::size_t chunk, Stream::Way way) const {
  const std::size_t half = streams_.size() / 2;
  const bool from_initiator = (way == Stream::Way::sends) == name_.initiator;
  return (from_initiator ? 0 : half) + chunk % half;
}

void Session::add_stream(const OpenStream& which, std::unique_ptr<Stream> stream) {
  if (over_) return;
  if (streams_.empty()) streams_.resize(which.streams);
  if (which.streams % 2 != 0 || which.streams != streams_.size() || which.stream >= streams_.size() ||
      streams_[which.stream] != nullptr) {
    return ended("its streams do not fit");
  }
  streams_[which.stream] = std::move(stream);
  if (++streams_open_ < streams_.size()) return;
  send_large();
  receive_large();
}

void Session::send_large() {
  if (large_.empty()) return;
  if (!streams_ready()) return ask_for_streams();
  while (!large_.empty() && (sending_.empty() || sending_bytes_ < kSendingAtOnce)) {
    const std::uint64_t number = large_.front().first;
    Sending& sending = sending_[number];
    sending.message = std::move(large_.front().second);
    large_.pop_front();
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
    send(FrameKind::announce, encode_payload(announce));
    send_chunks(sending, number, announce.padding);
  }
  say_farewell();
}

void Session::send_chunks(Sending& sending, std::uint64_t number, std::uint64_t padding) {
  const auto send_one = [&](std::span<const std::byte> chunk) {
    streams_[stream_of(chunks_out_++, Stream::Way::sends)]->send(chunk, chunk_done(number, &Session::chunk_sent));
  };
  sending.chunks_left = cut(std::span<const std::byte>(sending.head), send_one);
  for (const LongArray& array : sending.arrays) sending.chunks_left += cut(array.bytes, send_one);
  if (padding > 0) zeros_.resize(kChunk);
  sending.chunks_left += cut_padding(padding, [&](std::size_t size) { send_one(std::span(zeros_).first(size)); });
}

// Both sides put chunks on the streams in turn, message by message in the order of their announcements.
void Session::receive_large() try {
  const std::size_t most = kAskedAtOnce * streams_.size() / 2;
  while (streams_ready() && chunks_asked_ < most && (asking_ || ask_for_next())) {
    Arrival& arrival = receiving_.at(*asking_);
    const std::size_t stream = stream_of(chunks_in_++, Stream::Way::receives);
    streams_[stream]->receive(arrival.ask(stream), chunk_done(*asking_, &Session::chunk_received));
    ++chunks_asked_;
    if (arrival.all_asked()) asking_.reset();
  }
} catch (const std::exception& error) {
  ended(error.what());
}

bool Session::ask_for_next() {
  if (announced_.empty() || (!receiving_.empty() && waiting_ >= options_.inbox)) return false;
  const std::uint64_t number = announced_.front().number;
  const auto [arrival, is_new] =
      receiving_.try_emplace(number, std::move(announced_.front()), streams_.size(), *spare_);
  announced_.pop_front();
  if (!is_new) throw LinkError("a message came twice");
  waiting_ += arrival->second.size();
  asking_ = number;
  return true;
}

Stream::Done Session::chunk_done(std::uint64_t number, void (Session::*through)(std::uint64_t)) {
  return [weak = weak_from_this(), &io = io_, number, through] {
    asio::post(io, [weak, number, through] {
      const auto self = weak.lock();
      if (self && !self->over_) (*self.*through)(number);
    });
  };
}

void Session::chunk_sent(std::uint64_t number) {
  const auto sent = sending_.find(number);
  if (--sent->second.chunks_left > 0) return;
  sending_bytes_ -= sent->second.size;
  sending_.erase(sent);
  send_large();
}

void Session::chunk_received(std::uint64_t number) {
  const auto arrival = receiving_.find(number);
  arrival->second.came();
  --chunks_asked_;
  receive_large();
  if (over_ || !arrival->second.whole()) return;
  try {
    Received message = arrival->second.take();
    receiving_.erase(arrival);
    whole(number, std::move(message));
    receive_large();
    end_if_left();
  } catch (const std::exception& error) {
    ended(error.what());
  }
}

}  // namespace dipaco
