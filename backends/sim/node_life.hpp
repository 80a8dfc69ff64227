#pragma once

#include <cstdint>
#include <memory>
#include <simgrid/s4u.hpp>

#include "backends/sim/compute.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/sim_storage.hpp"

namespace dipaco {

/// A node with its host, through all its incarnations.
struct NodeLife {
  PlacedNode node;
  simgrid::s4u::Host* host = nullptr;
  SimStorage storage;                     ///< a host that is off keeps it
  std::shared_ptr<SimCompute> compute{};  ///< shared with the actor, which unwinds after its successor has begun
  simgrid::s4u::ActorPtr actor{};
  bool gone = false;      ///< for good, whatever its host does
  bool recorded = false;  ///< as up: the last event was a node_up
  Seconds frozen_until{};
  Seconds ready_at{};              ///< its machine has started up
  std::uint64_t computations = 0;  ///< that it has begun: for its machine's jitter
};

}  // namespace dipaco
