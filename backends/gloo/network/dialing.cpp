#include "backends/gloo/network/dialing.hpp"

namespace dipaco {

Endpoint way_to(const NetworkShared& shared, NodeId node) {
  const auto known = shared.members.find(node);
  if (!known) return {};
  // Not every network leads a machine back to itself by its outer address.
  const bool beside = known->host == shared.options.reached_at && known->machine == shared.options.self.machine;
  return {beside ? shared.options.listen.host : known->host, known->port};
}

Awaitable<std::shared_ptr<Connection>> dial(NetworkShared& shared, Endpoint where) {
  auto socket = co_await connect_to(shared.io, where.host, where.port, shared.limit());
  co_return co_await Connection::begin(std::move(socket), Handshake::Side::initiator, shared.secret(), shared.limit());
}

}  // namespace dipaco
