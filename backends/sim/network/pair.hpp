#pragma once

#include <vector>

#include "backends/sim/engine/links.hpp"
#include "backends/sim/network/in_order.hpp"
#include "backends/sim/network/turns.hpp"
#include "core/base/ids.hpp"

namespace dipaco {

struct Transfer;

/// One node as another's sender: what is on its way from `from` to `to`.
struct Pair {
  NodeId from{};
  NodeId to{};
  bool local = false;   ///< both on one host
  RouteId route{};      ///< where they are not
  bool parted = false;  ///< its ends have heard PeerLost of each other
  InOrder order{};
  Turns turns{};                       ///< of the large messages
  std::vector<Transfer*> transfers{};  ///< that are not there yet, in no order
};

}  // namespace dipaco
