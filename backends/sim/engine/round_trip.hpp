#pragma once

#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "core/config/fleet.hpp"

namespace dipaco {

/// The longest between nodes that have to talk, as far as pairs_to_check shows it. REQUIRES an engine that has loaded
/// the scenario, and that its routes were checked. Its ends are named as hosts.
RoundTrip longest_round_trip(const ScenarioFile& file, const Placement& placement);

}  // namespace dipaco
