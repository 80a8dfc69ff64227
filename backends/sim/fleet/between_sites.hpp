#pragma once

#include <span>
#include <vector>

#include "backends/sim/fleet/fleet_plan.hpp"
#include "backends/sim/fleet/site_figures.hpp"

namespace dipaco {

/// The links of all pairs of sites: bandwidths as the file says, latencies of half a round trip.
/// @throws ConfigError naming file, line and what to write: no bandwidth or no round trip of a pair, no such rate or
/// time
std::vector<PlannedLink> plan_links(const FleetFile& file, std::span<const SiteFigures> sites,
                                    const FleetTables& tables);

/// What a site's bytes cost to each other site: as it is said, or of the tables. Choice: within a region nothing.
/// `sites` are as in `file`.
/// @throws ConfigError naming file, line and what to write: a pair of regions without a price
PlannedValue plan_egress(const FleetFile& file, std::span<const SiteFigures> sites, std::size_t own_number,
                         const FleetTables& tables);

}  // namespace dipaco
