#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <simgrid/s4u.hpp>

#include "core/base/units.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

struct Pair;

/// One message on its way, in a slot that is used again.
struct Transfer {
  Envelope envelope;
  Pair* pair = nullptr;
  std::size_t place = 0;          ///< in the pair's transfers
  std::uint64_t number = 0;       ///< within the pair
  std::uint64_t serial = 0;       ///< of this use of the slot; 0: free
  std::optional<Seconds> broken;  ///< when its route first failed
  Seconds began{};                ///< when its flow did
  simgrid::s4u::CommPtr flow;     ///< while it crosses the network
};

}  // namespace dipaco
