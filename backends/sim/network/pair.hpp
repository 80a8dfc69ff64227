#pragma once

#include <vector>

#include "backends/sim/engine/links.hpp"
#include "backends/sim/network/in_order.hpp"
#include "backends/sim/network/turns.hpp"
#include "core/base/ids.hpp"

namespace simgrid::s4u {
class Host;
}

namespace dipaco {

struct Transfer;

/// All that one node sends to another.
struct Pair {
  NodeId from{};
  NodeId to{};
  simgrid::s4u::Host* source = nullptr;  ///< the host of `from`
  simgrid::s4u::Host* target = nullptr;  ///< the host of `to`
  RouteId route{};                       ///< between two hosts
  bool parted = false;                   ///< its ends have heard PeerLost of each other
  InOrder order{};
  Turns turns{};                       ///< of the large messages
  std::vector<Transfer*> transfers{};  ///< that are not there yet, in no order

  /// Both nodes are on one host: no route.
  bool local() const { return source == target; }
};

}  // namespace dipaco
