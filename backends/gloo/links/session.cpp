#include "backends/gloo/links/session.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/transport/messages.hpp"

namespace dipaco {

Session::Session(asio::io_context& io, LinkName name, std::shared_ptr<Connection> connection,
                 const SessionOptions& options, SessionShared shared, SessionHooks hooks)
    : io_(io),
      name_(std::move(name)),
      hooks_(std::move(hooks)),
      line_(io, std::move(connection), {.period = options.period, .limit = options.limit},
            {.frame = [this](Frame frame) { take(std::move(frame)); },
             .ended = [this](const std::string& why) { ended(why); },
             .look = [this](std::uint64_t heard) { return large_.streams().renewals().look(steady(), heard); }}),
      order_([this](const Received& message) { deliver(message); }),
      large_(large_options(options, std::move(shared)), large_hooks()) {}

LargeOptions Session::large_options(const SessionOptions& options, SessionShared shared) const {
  return {.initiator = name_.initiator,
          .streams = options.streams,
          .inbox = options.inbox,
          .spare = std::move(shared.spare),
          .limit = options.limit,
          .pauses = std::move(shared.pauses)};
}

LargeHooks Session::large_hooks() {
  return {.want_streams =
              [this](std::uint32_t streams) {
                return name_.initiator ? hooks_.open_streams(streams) : send(FrameKind::want_streams, {});
              },
          .announce = [this](const Announce& announce) { send(FrameKind::announce, encode_payload(announce)); },
          .all_announced = [this] { say_farewell(); },
          .whole = [this](std::uint64_t number, Received message) { order_.put(number, std::move(message)); },
          .came = [this] { end_if_left(); },
          .failed = [this](const std::string& why) { ended(why); },
          .now = hooks_.now,
          .later = [this](std::function<void()> work) { return later(std::move(work)); },
          .turns = hooks_.turns,
          .renewal = renewal_hooks()};
}

RenewalHooks Session::renewal_hooks() {
  return {.connect = hooks_.renew_stream,
          .send = [this](FrameKind kind, std::vector<std::byte> payload) { send(kind, std::move(payload)); },
          .stalled = hooks_.stalled};
}

Stream::Done Session::later(std::function<void()> work) {
  return [weak = weak_from_this(), &io = io_, work = std::move(work)] {
    asio::post(io, [weak, work] {
      const auto self = weak.lock();
      if (self && !self->line_.closed()) work();
    });
  };
}

void Session::end() {
  if (line_.closed()) return;
  line_.close();
  large_.stop();
}

void Session::ended(const std::string& why) {
  if (line_.closed()) return;
  end();
  hooks_.ended(why);
}

void Session::take(Frame frame) {
  const std::string source = "a frame of node " + std::to_string(index(name_.peer));
  switch (frame.kind) {
    case FrameKind::message: {
      ByteReader reader(frame.payload, source);
      const auto number = reader.value<std::uint64_t>();
      const auto bytes = reader.raw(reader.remaining());
      large_.arrived(bytes.size());
      return order_.put(number, {.head = {bytes.begin(), bytes.end()}, .size = bytes.size()});
    }
    case FrameKind::announce:
      return large_.announced(decode_payload<Announce>(frame.payload, source));
    case FrameKind::farewell:
      left_ = true;
      return end_if_left();
    case FrameKind::came:
      return large_.streams().renewals().came(decode_payload<Came>(frame.payload, source));
    case FrameKind::renew_stream:
      if (!name_.initiator) throw LinkError("it asks for a stream that is its own to open");
      return large_.streams().renewals().asked(decode_payload<RenewStream>(frame.payload, source));
    case FrameKind::want_streams:
      if (!name_.initiator) throw LinkError("it asks for streams that are its own to open");
      return large_.streams().want();
    default:
      hooks_.frame(std::move(frame));
  }
}

void Session::send(const Message& message) {
  const std::uint64_t number = sent_messages_++;
  const bool small = message.wire_size <= kLargestSmall;
  const auto encoding = small ? encode(message) : std::vector<std::byte>();
  if (!small || encoding.size() > kLargestSmall.value) {  // it may carry more than it is charged for
    return large_.send(number, message);
  }
  ByteWriter writer;
  writer.value(number);
  writer.raw(head_of(hooks_.now(), encoding));
  auto bytes = writer.take();
  // Of values that are only charged for, as many bytes go as they stand for.
  if (encoding.size() < message.wire_size.value) bytes.resize(bytes.size() + message.wire_size.value - encoding.size());
  send(FrameKind::message, std::move(bytes));
}

void Session::deliver(const Received& message) {
  const std::string source = "a message of node " + std::to_string(index(name_.peer));
  ByteReader reader(message.head, source);
  const Seconds sent(reader.value<double>());
  const auto size = reader.value<std::uint64_t>();
  const auto encoding = reader.raw(size);
  Envelope envelope{name_.peer, sent, decode_apart(encoding, message.arrays, source), message.took};
  if (message.took > Seconds(0)) envelope.waited = std::max(message.began - sent, Seconds(0));
  hooks_.arrived(std::move(envelope), message.size);
}

void Session::taken(std::uint64_t bytes) {
  if (!line_.closed()) large_.taken(bytes);
}

void Session::leave() {
  if (farewell_ == Farewell::none) farewell_ = Farewell::due;
  say_farewell();
}

/// Behind the last announcement: what is on the streams by then comes in any case.
void Session::say_farewell() {
  if (farewell_ != Farewell::due || large_.waits()) return;
  farewell_ = Farewell::said;
  send(FrameKind::farewell, {});
}

void Session::end_if_left() {
  if (left_ && large_.all_came()) ended("it has left");
}

}  // namespace dipaco
