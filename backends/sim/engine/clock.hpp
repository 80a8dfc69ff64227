#pragma once

#include <simgrid/s4u/Engine.hpp>

#include "core/base/units.hpp"

namespace dipaco {

/// Simulated time since the simulation began.
inline Seconds clock_now() { return Seconds(simgrid::s4u::Engine::get_clock()); }

}  // namespace dipaco
