#pragma once

#include <vector>

#include "backends/sim/options.hpp"
#include "backends/sim/placement.hpp"
#include "backends/sim/scenario_file.hpp"

namespace dipaco {

/// Adds to `placement`, whose nodes are placed, which machines come and go: by a zone's preemption, by mtbf and mttr.
/// They may only work or evaluate: the loss of another role ends the run.
/// @throws ConfigError naming file, line and remedy; DataError for a preemption CSV (read_availability)
void place_departures(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                      Placement& placement);

}  // namespace dipaco
