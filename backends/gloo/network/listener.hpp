#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "backends/gloo/network/network_shared.hpp"

namespace dipaco {

/// Where others connect to this node. Whoever knows the address but not the run's secret gets no further than a
/// connection. On the links' thread.
class Listener {
 public:
  /// Takes a connection over whose other end is a node of this run, with the first frame that it has sent. What it
  /// throws ends the connection and is worth a note. @param source  of the frame, for messages to a person
  using Serve = std::function<Awaitable<void>(std::shared_ptr<Connection>, Frame, std::string source)>;

  /// Listens from here on. @param shared  must outlive this
  /// @throws ConfigError where the address cannot be listened on; where others could connect to it, without a secret
  Listener(NetworkShared& shared, Serve serve);

  /// Where others reach this node.
  const Endpoint& endpoint() const { return endpoint_; }
  /// Accepts connections from now on.
  void start() { asio::co_spawn(shared_.io, accept_all(), asio::detached); }

 private:
  void listen();
  void refuse_open(const tcp::endpoint& address) const;
  /// Whether nobody else listens there.
  bool try_to_listen(const tcp::endpoint& address);
  Awaitable<void> accept_all();
  Awaitable<void> serve(std::shared_ptr<tcp::socket> socket);
  void note_stranger(const std::string& text);

  NetworkShared& shared_;
  Serve serve_;
  tcp::acceptor acceptor_;
  Endpoint endpoint_;
  std::map<std::uint64_t, std::shared_ptr<tcp::socket>> strangers_;  ///< have not said yet what they are, in order
  std::uint64_t connections_ = 0;
  std::uint64_t unnoted_ = 0;  ///< connections that came to nothing since that was noted
  Seconds noted_at_{-1};
};

}  // namespace dipaco
