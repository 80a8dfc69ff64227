#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "backends/sim/fleet/fleet_plan.hpp"

namespace dipaco {

/// The zone around all sites. No site has a name with a dash.
inline constexpr const char* kFleetZone = "whole-fleet";

/// The text (XML) of a fleet's scenario; comments say where each figure is from.
/// @param folder  where it will be: files are named relative to it. Nullopt: it may be anywhere, so names are absolute
std::string fleet_scenario(const PlannedFleet& fleet, const std::optional<std::filesystem::path>& folder);

/// Checks all that dipaco-sim checks of a scenario before a run, but for what SimGrid does itself.
/// @throws ConfigError with file and line of the fleet file, as place() and read_costs() do; DataError as they do
void check_fleet(const PlannedFleet& fleet);

}  // namespace dipaco
