#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/scenario/changes.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "backends/sim/timeline/capacity.hpp"

namespace dipaco {

/// When links are off, by SimGrid's names: of a SPLITDUPLEX link, each direction.
using LinkOutages = std::map<std::string, std::vector<TimeStretch>>;

/// What links' props `outages` say, or changes in their place, of links of SimGrid's engine, which has loaded the
/// platform.
/// @throws ConfigError naming file and line, or the change: no stretches of time, or beside a state_file
LinkOutages read_link_outages(const ScenarioFile& file, const std::vector<ScenarioChange>& changes);

/// Before the simulation: has links go off and on at their times. REQUIRES: `alarms` outlives it.
void turn_links_off(const LinkOutages& outages, Alarms& alarms);

/// Of SimGrid's engine now, for a person whose run makes no progress: "link a-b_UP and 3 others are off: ..."; empty
/// where none is.
std::string told_of_links_off();

}  // namespace dipaco
