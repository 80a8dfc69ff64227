#include "backends/gloo/links/lifeline.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace dipaco {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Lifeline::Lifeline(asio::io_context& io, std::shared_ptr<Connection> connection, const LifelineOptions& options,
                   LifelineHooks hooks)
    : io_(io),
      connection_(std::move(connection)),
      options_(options),
      hooks_(std::move(hooks)),
      wake_writer_(io),
      watch_(io),
      heard_(Clock::now()),
      others_moved_(heard_) {}

void Lifeline::start(const std::shared_ptr<void>& owner) {
  asio::co_spawn(io_, read_all(owner), asio::detached);
  asio::co_spawn(io_, write_all(owner), asio::detached);
  asio::co_spawn(io_, watch(owner), asio::detached);
}

void Lifeline::close() {
  if (closed_) return;
  closed_ = true;
  connection_->close();
  wake_writer_.cancel();
  watch_.cancel();
}

void Lifeline::lose(const std::string& why) {
  if (!closed_) hooks_.ended(why);
}

Awaitable<void> Lifeline::read_all([[maybe_unused]] std::shared_ptr<void> owner) {
  std::string why;
  try {
    while (!closed_) {
      Frame frame = co_await connection_->read();
      if (closed_) break;  // given up while the frame was on its way to here
      heard_ = Clock::now();
      ++frames_;
      if (frame.kind != FrameKind::alive) hooks_.frame(std::move(frame));
    }
  } catch (const boost::system::system_error& error) {
    why = error.code() == asio::error::eof ? "it has closed the connection" : error.code().message();
  } catch (const std::exception& error) {
    why = error.what();
  }
  lose(why);
}

Awaitable<void> Lifeline::write_all([[maybe_unused]] std::shared_ptr<void> owner) {
  try {
    while (!closed_) {
      if (out_.empty()) {
        wake_writer_.expires_after(timer_duration(options_.period));
        boost::system::error_code woken;
        co_await wake_writer_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        if (!woken && out_.empty()) out_.push_back({FrameKind::alive, {}});
        continue;
      }
      const Frame frame = std::move(out_.front());
      out_.pop_front();
      co_await connection_->write(frame.kind, frame.payload);
    }
  } catch (const boost::system::system_error&) {
    // The reader says why.
  }
}

Awaitable<void> Lifeline::watch([[maybe_unused]] std::shared_ptr<void> owner) {
  while (!closed_) {
    const OthersSeen others = hooks_.look(frames_);
    const auto now = Clock::now();
    if (others.moved) others_moved_ = now;
    const Seconds stood(now - heard_);
    const Seconds silent(now - std::max(heard_, others_moved_));
    if (const std::string why = lost(silent, stood, others.patience); !why.empty()) {
      lose(why);
      break;
    }
    watch_.expires_after(timer_duration(std::min(options_.limit - silent, looks_every(options_.limit))));
    boost::system::error_code woken;
    co_await watch_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
}

std::string Lifeline::lost(Seconds silent, Seconds stood, Seconds patience) const {
  if (silent >= options_.limit) return "no sign of life for " + std::to_string(options_.limit.count()) + " s";
  if (stood < std::max(options_.limit, patience)) return "";
  return "its first connection has stood for " + std::to_string(stood.count()) + " s, while its streams moved";
}

void Lifeline::send(FrameKind kind, std::vector<std::byte> payload) {
  if (closed_) return;
  out_.push_back({kind, std::move(payload)});
  wake_writer_.cancel();
}

}  // namespace dipaco
