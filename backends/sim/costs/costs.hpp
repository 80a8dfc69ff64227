#pragma once

#include <vector>

#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "core/report/accounts/cost_facts.hpp"

namespace dipaco {

/// What a scenario says of prices and power: of every machine with a role, and of every pair of sites that have one;
/// empty where it says nothing. A host's own prop comes before its zone's, and that before those of the zones around
/// it. When machines are there is not known yet.
/// @throws ConfigError naming file, line and remedy: what read_cost_props throws; a machine or a pair of sites without
///         a price or watts where another has one; a prop that is of no machine
CostFacts read_costs(const ScenarioFile& file, const Placement& placement, const std::vector<PlatformZone>& zones);

}  // namespace dipaco
