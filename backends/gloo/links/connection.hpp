#pragma once

#include <memory>
#include <span>
#include <string>

#include "backends/gloo/links/asio.hpp"
#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/sealing/cipher.hpp"
#include "backends/gloo/links/sealing/handshake.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// A socket whose other end has proved to be a node of this run, and the frames on it. All calls from the links'
/// thread, at most one read and one write at a time.
class Connection {
 public:
  /// The handshake, by either side. @throws LinkError, NotAuthorised; what asio throws where the socket breaks or
  /// `limit` passes
  static Awaitable<std::shared_ptr<Connection>> begin(std::shared_ptr<tcp::socket> socket, Handshake::Side side,
                                                      const Secret* secret, Seconds limit);

  Connection(std::shared_ptr<tcp::socket> socket, SessionKeys keys);

  /// @throws LinkError where what comes is not the next frame; what asio throws where the socket breaks
  Awaitable<Frame> read();
  Awaitable<void> write(FrameKind kind, std::span<const std::byte> payload);
  /// The same, each within `limit`.
  Awaitable<Frame> read(Seconds limit);
  /// Reads and writes that wait end with an error.
  void close();
  /// The socket and its keys for somebody else; nothing can be read or written here any more.
  int release();
  const SessionKeys& keys() const { return keys_; }
  /// Address and port of the other side, for messages to a person.
  const std::string& peer() const { return peer_; }

 private:
  std::shared_ptr<tcp::socket> socket_;
  SessionKeys keys_;
  Sealer sealer_;
  Opener opener_;
  std::string peer_;
  std::vector<std::byte> out_;  ///< of one write
};

/// Closes a socket once `limit` has passed, unless this object is gone by then.
class Deadline {
 public:
  Deadline(const std::shared_ptr<tcp::socket>& socket, Seconds limit);

 private:
  asio::steady_timer timer_;
};

/// Connects to a numerical or a name's address. @throws what asio throws
Awaitable<std::shared_ptr<tcp::socket>> connect_to(asio::io_context& io, const std::string& host, std::uint16_t port,
                                                   Seconds limit);

asio::steady_timer::duration timer_duration(Seconds time);
/// By the machine's steady clock.
Seconds steady();

}  // namespace dipaco
