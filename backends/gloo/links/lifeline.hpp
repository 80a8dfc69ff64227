#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/gloo/links/connection.hpp"
#include "backends/gloo/links/frame.hpp"

namespace dipaco {

struct LifelineOptions {
  Seconds period{3};  ///< between signs of life
  Seconds limit{10};  ///< silent for so long: lost
};

struct LifelineHooks {
  std::function<void(Frame)> frame;  ///< that came, but for signs of life; what it throws ends the line
  std::function<void(const std::string& why)> ended;  ///< the other side is gone; not after Lifeline::close
};

/// A link's first connection: frames go out in order and come in, signs of life go out where nothing else does, and
/// silence for too long is the loss of the other side. On the links' thread.
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

  asio::io_context& io_;
  std::shared_ptr<Connection> connection_;
  LifelineOptions options_;
  LifelineHooks hooks_;
  bool closed_ = false;
  std::deque<Frame> out_;
  asio::steady_timer wake_writer_;
  asio::steady_timer watch_;
  asio::steady_timer::time_point heard_;
};

}  // namespace dipaco
