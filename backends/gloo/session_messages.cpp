#include <algorithm>
#include <exception>
#include <utility>

#include "backends/gloo/session.hpp"
#include "core/transport/messages.hpp"

// A link's messages: small ones whole, large ones in chunks, delivered in the order in which they were sent.

namespace dipaco {
namespace {

/// Messages up to here go whole, with the small ones.
constexpr std::uint64_t kLargestSmall = 64 * 1024;
/// Bytes of large messages that are on the streams at once.
constexpr std::uint64_t kSendingAtOnce = 64 << 20;

/// No module or path state has so many.
constexpr std::uint64_t kLargestMessage = std::uint64_t{1} << 40;

/// A message as it goes over a link: its number is beside it, its time before it. Behind it, as many zeros as what it
/// is charged for is larger than what it carries: a study of sizes without values moves as many bytes.
std::vector<std::byte> with_time(Seconds sent, const Message& message) {
  const auto bytes = encode(message);
  ByteWriter writer;
  writer.expect(sizeof(double) + sizeof(std::uint64_t) + std::max<std::size_t>(bytes.size(), message.wire_size.value));
  writer.value(sent.count());
  writer.value(static_cast<std::uint64_t>(bytes.size()));
  writer.raw(bytes);
  auto all = writer.take();
  if (bytes.size() < message.wire_size.value) all.resize(all.size() + message.wire_size.value - bytes.size());
  return all;
}

template <class Byte>
std::vector<std::span<Byte>> chunks_of(std::span<Byte> bytes) {
  std::vector<std::span<Byte>> chunks;
  for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
    chunks.push_back(bytes.subspan(at, std::min(kChunk, bytes.size() - at)));
  }
  return chunks;
}

}  // namespace

void Session::send(const Message& message) {
  const std::uint64_t number = sent_messages_++;
  if (message.wire_size.value > kLargestSmall) {
    large_.emplace_back(number, message);
    return send_large();
  }
  ByteWriter writer;
  writer.value(number);
  writer.raw(with_time(hooks_.now(), message));
  send(FrameKind::message, writer.take());
}

void Session::whole(std::uint64_t number, std::vector<std::byte> bytes) {
  if (number < next_ || early_.contains(number)) throw LinkError("a message came twice");
  early_.emplace(number, std::move(bytes));
  while (!over_ && !early_.empty() && early_.begin()->first == next_) {
    const auto message = early_.extract(early_.begin());
    ++next_;
    deliver(message.mapped());
  }
}

void Session::deliver(std::span<const std::byte> bytes) {
  const std::string source = "a message of node " + std::to_string(index(name_.peer));
  ByteReader reader(bytes, source);
  const Seconds sent(reader.value<double>());
  const auto size = reader.value<std::uint64_t>();
  if (size > reader.remaining()) reader.fail("it is longer than it came");
  hooks_.arrived({name_.peer, sent, decode_message(reader.raw(size), source)}, bytes.size());
}

void Session::taken(std::uint64_t bytes) {
  waiting_ -= std::min(bytes, waiting_);
  if (!over_) receive_large();
}

void Session::ask_for_streams() {
  if (streams_asked_) return;
  streams_asked_ = true;
  if (!name_.initiator) return send(FrameKind::want_streams, {});
  streams_.resize(options_.streams);
  hooks_.open_streams(options_.streams);
}

void Session::add_stream(const OpenStream& which, std::unique_ptr<Stream> stream) {
  if (over_) return;
  if (streams_.empty()) streams_.resize(which.streams);
  if (which.streams != streams_.size() || which.stream >= streams_.size() || streams_[which.stream] != nullptr) {
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
    const auto& [number, message] = large_.front();
    Large& large = sending_[number];
    large.bytes = with_time(hooks_.now(), message);
    sending_bytes_ += large.bytes.size();
    send(FrameKind::announce, encode_payload(Announce{number, large.bytes.size()}));
    const auto chunks = chunks_of(std::span<const std::byte>(large.bytes));
    large.chunks_left = chunks.size();
    for (const auto chunk : chunks) {
      streams_[chunks_out_++ % streams_.size()]->send(chunk, chunk_done(number, &Session::chunk_sent));
    }
    large_.pop_front();
  }
  say_farewell();
}

void Session::receive_large() {
  if (announced_.empty() || !streams_ready()) return;
  while (!announced_.empty() && (receiving_.empty() || waiting_ < options_.inbox)) {
    const Announce announce = announced_.front();
    announced_.pop_front();
    const bool possible = announce.size > sizeof(double) && announce.size <= kLargestMessage;
    if (!possible || receiving_.contains(announce.number)) throw LinkError("it announces what cannot be");
    waiting_ += announce.size;
    Large& large = receiving_[announce.number];
    large.bytes.resize(announce.size);
    const auto chunks = chunks_of(std::span<std::byte>(large.bytes));
    large.chunks_left = chunks.size();
    for (const auto chunk : chunks) {
      streams_[chunks_in_++ % streams_.size()]->receive(chunk, chunk_done(announce.number, &Session::chunk_received));
    }
  }
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
  sending_bytes_ -= sent->second.bytes.size();
  sending_.erase(sent);
  send_large();
}

void Session::chunk_received(std::uint64_t number) {
  const auto received = receiving_.find(number);
  if (--received->second.chunks_left > 0) return;
  auto bytes = std::move(received->second.bytes);
  receiving_.erase(received);
  try {
    whole(number, std::move(bytes));
    receive_large();
    end_if_left();
  } catch (const std::exception& error) {
    ended(error.what());
  }
}

}  // namespace dipaco
