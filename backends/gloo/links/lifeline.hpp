#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/gloo/links/connection.hpp"
#include "backends/gloo/links/frame.hpp"

namespace dipaco {

/// How often to look at a link's connections: one that has stood for the limit is found within a tenth of it.
constexpr Seconds looks_every(Seconds limit) { return limit / 10; }

struct LifelineOptions {
  Seconds period{3};  ///< between signs of life
  Seconds limit{10};  ///< silent for so long: lost
};

/// What a look at the other connections of a link has shown.
struct OthersSeen {
  bool moved = false;  ///< something has come by them since the last look
  Seconds patience{};  ///< the first connection may stand for so long while they move
};

struct LifelineHooks {
  std::function<void(Frame)> frame;  ///< that came, but for signs of life; what it throws ends the line
  std::function<void(const std::string& why)> ended;  ///< the other side is gone; not after Lifeline::close
  /// Is called every tenth of the limit. @param heard  frames that have come so far
  std::function<OthersSeen(std::uint64_t heard)> look;
};

/// A link's first connection: frames go out in order and come in, signs of life go out where nothing else does, and
/// silence for too long, on this and all other connections, is the loss of the other side. On the links' thread.
class Lifeline {
 public:
  Lifeline(asio::io_context& io, std::shared_ptr<Connection> connection, const LifelineOptions& options,
           LifelineHooks hooks);

  /// @param owner  of this object: lives as long as it runs
  void start(const std::shared_ptr<void>& owner);
  void send(FrameKind kind, std::vector<std::byte> payload);
  void close();
  bool closed() const { return closed_; }

 private:
  Awaitable<void> read_all(std::shared_ptr<void> owner);
  Awaitable<void> write_all(std::shared_ptr<void> owner);
  Awaitable<void> watch(std::shared_ptr<void> owner);
  void lose(const std::string& why);
  /// What is lost by now, if something is; "": nothing.
  std::string lost(Seconds silent, Seconds stood, Seconds patience) const;

  asio::io_context& io_;
  std::shared_ptr<Connection> connection_;
  LifelineOptions options_;
  LifelineHooks hooks_;
  bool closed_ = false;
  std::deque<Frame> out_;
  asio::steady_timer wake_writer_;
  asio::steady_timer watch_;
  std::uint64_t frames_ = 0;  ///< that have come
  asio::steady_timer::time_point heard_;
  asio::steady_timer::time_point others_moved_;
};

}  // namespace dipaco
