#pragma once

#include <set>
#include <string>
#include <vector>

#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Hosts whose nodes all work or evaluate.
std::set<std::string> hosts_that_only_work(const Placement& placement);

/// Adds to `placement`, whose nodes are placed, which machines are away by drawn times or for want of capacity: by a
/// host's failures and repair, by a zone's reclaims and given_back, by its capacity; and by its outages, which take all
/// its hosts. What a zone says takes hosts that only work or evaluate; a host's own failures hold for whatever it does.
/// @throws ConfigError naming file, line and remedy: no law of times, one prop of a pair without the other, failures
///         beside mtbf, no capacity, a zone without a host that only works
void place_absences(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                    Placement& placement);

}  // namespace dipaco
