#pragma once

#include <memory>

#include "backends/gloo/network/network_shared.hpp"

namespace dipaco {

/// Where this node reaches another one. Port 0: nobody has said it yet.
Endpoint way_to(const NetworkShared& shared, NodeId node);

/// A connection that this node opens, with its handshake done. @throws as connect_to and Connection::begin do
Awaitable<std::shared_ptr<Connection>> dial(NetworkShared& shared, Endpoint where);

}  // namespace dipaco
