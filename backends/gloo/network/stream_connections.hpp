#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "backends/gloo/network/network_shared.hpp"

namespace dipaco {

/// The connections for the large messages of this node's links: opens those of links that it has opened itself, takes
/// those of the others, and hands both to their link. On the links' thread.
class StreamConnections {
 public:
  /// @param shared  must outlive this
  explicit StreamConnections(NetworkShared& shared) : shared_(shared), device_(make_gloo_device()) {}

  /// The initiator: all streams of a link. Ends it where one cannot be had.
  void open(std::shared_ptr<Session> session, std::uint32_t streams);
  /// The initiator: one of them anew.
  void renew(std::shared_ptr<Session> session, std::uint32_t stream);
  /// The other side: a connection for one of them. @throws LinkError where it does not fit; what asio throws where it
  /// breaks
  Awaitable<void> serve(std::shared_ptr<Session> session, std::shared_ptr<Connection> connection, OpenStream asked);

 private:
  Awaitable<void> open_all(std::shared_ptr<Session> session, std::uint32_t streams);
  Awaitable<void> open_again(std::shared_ptr<Session> session, std::uint32_t stream);
  /// A connection for one stream, which asks for it by `asked`.
  Awaitable<std::shared_ptr<Connection>> connect(NodeId to, const OpenStream& asked);
  /// The stream goes on over this connection, if its receiving side still wants that.
  Awaitable<void> renew_over(std::shared_ptr<Session> session, OpenStream which,
                             std::shared_ptr<Connection> connection);
  /// What the receiving side says on such a connection; nullopt: it needs none any more, or cannot be heard.
  Awaitable<std::optional<GoOn>> read_go_on(Connection& connection);
  void add(Session& session, const OpenStream& which, Connection& connection);

  NetworkShared& shared_;
  std::shared_ptr<gloo::transport::Device> device_;
};

}  // namespace dipaco
