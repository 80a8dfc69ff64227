#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/compute/compute.hpp"
#include "core/preflight/measures.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

// Measures the network between the processes of a run before it, by messages like the run's over links like the run's.

struct PreflightOptions {
  std::int32_t processes = 0;  ///< in all; the coordinator's is one of them
  std::uint32_t pings = 20;    ///< of a round trip: the shortest counts
  Seconds shortest{0.5};       ///< a large message grows, to the double at least, until it takes so long
  Bytes largest{256 << 20};    ///< or has so many bytes
  Seconds patience{60};        ///< with one measurement; for the processes to come it waits for ever
  std::function<void(const std::string&)> progress{};  ///< a line for a person, on the caller's thread; may be empty
};

/// The coordinator's part: waits for all processes, lets one pair after the other measure, then every site with all
/// others at once, and sends everybody home.
/// @param self  of the coordinator's own process, which is measured like the others
/// @throws RunError with status 5 where a process is lost or one cannot reach another, with status 4 where a
///         measurement does not end; they name the processes
NetworkMeasures lead_preflight(Transport& transport, const Compute& clock, const Attend& self,
                               const PreflightOptions& options);

/// Everybody else's part. Returns once the coordinator sends it home.
/// @throws RunError with status 5 where the coordinator is lost
void attend_preflight(Transport& transport, const Compute& clock, const Attend& self);

}  // namespace dipaco
