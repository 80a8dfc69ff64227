#include "backends/gloo/links/session.hpp"

#include <exception>
#include <utility>

namespace dipaco {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Session::Session(asio::io_context& io, LinkName name, std::shared_ptr<Connection> connection,
                 const SessionOptions& options, std::shared_ptr<SpareArrays> spare, SessionHooks hooks)
    : io_(io),
      name_(std::move(name)),
      connection_(std::move(connection)),
      options_(options),
      hooks_(std::move(hooks)),
      wake_writer_(io),
      watch_(io),
      heard_(Clock::now()),
      spare_(std::move(spare)) {}

void Session::start() {
  asio::co_spawn(io_, read_all(), asio::detached);
  asio::co_spawn(io_, write_all(), asio::detached);
  asio::co_spawn(io_, watch(), asio::detached);
}

void Session::end() {
  if (over_) return;
  over_ = true;
  connection_->close();
  wake_writer_.cancel();
  watch_.cancel();
  for (const auto& stream : streams_) {
    if (stream != nullptr) stream->stop();
  }
}

void Session::ended(const std::string& why) {
  if (over_) return;
  end();
  hooks_.ended(why);
}

Stream::Failed Session::stream_failed() {
  return [weak = weak_from_this(), &io = io_](const std::string& why) {
    asio::post(io, [weak, why] {
      if (const auto self = weak.lock()) self->ended(why);
    });
  };
}

Awaitable<void> Session::read_all() {
  const auto self = shared_from_this();
  std::string why;
  try {
    while (!over_) {
      Frame frame = co_await connection_->read();
      if (over_) break;  // given up while the frame was on its way to here
      heard_ = Clock::now();
      take(std::move(frame));
    }
  } catch (const boost::system::system_error& error) {
    why = error.code() == asio::error::eof ? "it has closed the connection" : error.code().message();
  } catch (const std::exception& error) {
    why = error.what();
  }
  ended(why);
}

Awaitable<void> Session::write_all() {
  const auto self = shared_from_this();
  try {
    while (!over_) {
      if (out_.empty()) {
        wake_writer_.expires_after(timer_duration(options_.period));
        boost::system::error_code woken;
        co_await wake_writer_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        if (!woken && out_.empty()) out_.push_back({FrameKind::alive, {}});
        continue;
      }
      const Frame frame = std::move(out_.front());
      out_.pop_front();
      writing_ = true;
      co_await connection_->write(frame.kind, frame.payload);
      writing_ = false;
    }
  } catch (const boost::system::system_error&) {
    // The reader says why.
  }
}

Awaitable<void> Session::watch() {
  const auto self = shared_from_this();
  while (!over_) {
    const auto silent = std::chrono::duration<double>(Clock::now() - heard_);
    if (silent >= options_.limit) {
      ended("no sign of life for " + std::to_string(options_.limit.count()) + " s");
      break;
    }
    watch_.expires_after(timer_duration(options_.limit - silent));
    boost::system::error_code woken;
    co_await watch_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
}

void Session::send(FrameKind kind, std::vector<std::byte> payload) {
  if (over_) return;
  out_.push_back({kind, std::move(payload)});
  wake_writer_.cancel();
}

void Session::take(Frame frame) {
  const std::string source = "a frame of node " + std::to_string(index(name_.peer));
  switch (frame.kind) {
    case FrameKind::alive:
      return;
    case FrameKind::message: {
      ByteReader reader(frame.payload, source);
      const auto number = reader.value<std::uint64_t>();
      const auto bytes = reader.raw(reader.remaining());
      waiting_ += bytes.size();
      return whole(number, {.head = {bytes.begin(), bytes.end()}, .size = bytes.size()});
    }
    case FrameKind::announce:
      announced_.push_back(decode_payload<Announce>(frame.payload, source));
      return receive_large();
    case FrameKind::farewell:
      left_ = true;
      return end_if_left();
    case FrameKind::want_streams:
      if (!name_.initiator) throw LinkError("it asks for streams that are its own to open");
      return ask_for_streams();
    default:
      hooks_.frame(std::move(frame));
  }
}

void Session::leave() {
  leaving_ = true;
  say_farewell();
}

/// Behind the last announcement: what is on the streams by then comes in any case.
void Session::say_farewell() {
  if (!leaving_ || farewell_said_ || !large_.empty()) return;
  farewell_said_ = true;
  send(FrameKind::farewell, {});
}

void Session::end_if_left() {
  if (left_ && announced_.empty() && receiving_.empty()) ended("it has left");
}

}  // namespace dipaco
