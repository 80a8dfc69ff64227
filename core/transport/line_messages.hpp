#pragma once

#include <cstdint>

#include "core/base/ids.hpp"
#include "core/transport/urgency.hpp"

namespace dipaco {

// How large messages take turns on the line from one site to another (docs/decisions/0026). Transports send these to
// each other: no role gets one, and no report counts them.

/// To the coordinator's transport: a large message waits here to go to that node, which is at another site.
struct AskForTurn {
  NodeId to{};
  Urgency urgency{};
  std::uint64_t size = 0;  ///< bytes
  template <class A>
  void fields(A& a) {
    a(to, urgency, size);
  }
};

/// The answer, once it may go.
struct Turn {
  NodeId to{};
  template <class A>
  void fields(A& a) {
    a(to);
  }
};

/// Back to the coordinator's transport: the message needs its turn no more, whether it had it or not.
struct TurnOver {
  NodeId to{};
  bool arrived = false;  ///< all of it
  template <class A>
  void fields(A& a) {
    a(to, arrived);
  }
};

}  // namespace dipaco
