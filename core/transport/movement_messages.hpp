#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/traffic.hpp"

namespace dipaco {

/// A message on its way to or from a node.
struct UnderWay {
  NodeId peer{};          ///< the other end
  bool incoming = false;  ///< it comes from there
  MessageKind kind{};
  Bytes size;        ///< of all of it
  Bytes arrived;     ///< so much of it, as far as this end knows
  double since = 0;  ///< seconds on the run's clock, when it was sent; 0 where this end does not know
  template <class A>
  void fields(A& a) {
    a(peer, incoming, kind, size.value, arrived.value, since);
  }
  friend bool operator==(const UnderWay&, const UnderWay&) = default;
};

/// How fast large messages have come from a node of late, beside all else that was on their way.
struct MeasuredWay {
  NodeId from{};
  double seconds_a_byte = 0;
  template <class A>
  void fields(A& a) {
    a(from, seconds_a_byte);
  }
  friend bool operator==(const MeasuredWay&, const MeasuredWay&) = default;
};

/// What a transport says of the messages on their way.
struct InMotion {
  std::uint64_t moves = 0;          ///< another number where any byte of them has come or gone
  std::vector<UnderWay> under_way;  ///< large ones at least
  std::vector<NodeId> in_turns{};  ///< at the coordinator: between which nodes messages wait for their turn, or have it
};

/// Coordinator to a node that takes long: what moves there? It costs no bytes of what it asks about.
struct HowFar {
  bool for_person = false;  ///< who looks at the status page: nothing takes long, as far as is known
  template <class A>
  void fields(A& a) {
    a(for_person);
  }
};

/// The node's answer, as soon as it does not compute: of two of them, the newer differs where anything has moved.
struct Movement {
  std::int64_t received = 0;        ///< messages since its start
  std::uint64_t moves = 0;          ///< another number where any byte has come or gone, as far as the transport sees
  std::vector<UnderWay> under_way;  ///< some of them, where there are very many
  bool for_person = false;          ///< as it was asked
  template <class A>
  void fields(A& a) {
    a(received, moves, under_way, for_person);
  }
  friend bool operator==(const Movement&, const Movement&) = default;
};

}  // namespace dipaco
