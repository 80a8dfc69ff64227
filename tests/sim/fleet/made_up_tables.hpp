#pragma once

#include <string>

#include "backends/sim/fleet/fleet_plan.hpp"
#include "backends/sim/fleet/fleet_tables.hpp"

namespace dipaco::testing {

/// Two devices, FAST (peak 100 TFLOP/s, 400 W, mfu 0.3, 0.5 and 0.4) and SLOW (50 TFLOP/s, 100 W, none), in three
/// regions: aws:one, aws:two and gcp:three.
FleetTables made_up_tables();

/// The plan of this text, which stands for /fleets/f.cfg, by these tables and the shipped run files and traces.
PlannedFleet planned(const std::string& text);

/// What is wrong with it, or "".
std::string refused_fleet(const std::string& text);

/// A fleet of two sites in which all is in order; `more` follows in the section of the second.
std::string two_site_fleet(const std::string& more = "");

}  // namespace dipaco::testing
