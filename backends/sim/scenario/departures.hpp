#pragma once

#include <vector>

#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Adds to `placement`, whose nodes are placed, which machines come and go: by a zone's preemption, by mtbf and mttr,
/// and what place_absences adds.
/// A preemption, and a zone's mtbf, take hosts that only work or evaluate; a host's own mtbf holds for whatever it
/// does.
/// @throws ConfigError naming file, line and remedy; DataError for a preemption CSV (read_availability)
void place_departures(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                      Placement& placement);

}  // namespace dipaco
