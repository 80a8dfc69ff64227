#pragma once

#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/scenario/changes.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "backends/sim/timeline/link_rates.hpp"

namespace dipaco {

/// What vary_links would throw for the scenario with these changes.
void check_varying_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes);

/// The bandwidth over time that links' prop bandwidth_over_time says, by SimGrid's names. Those links of SimGrid's
/// engine, which has loaded the platform, get the bandwidth of time 0.
/// @throws ConfigError where the prop names no file, stands beside a bandwidth_file, is of a WIFI link, or a change
/// sets
///         the bandwidth too; DataError for the CSV (read_link_rates)
LinkRates vary_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes);

/// Before the simulation: has the bandwidth of links change at its times. REQUIRES: `rates` and `alarms` outlive it.
void vary_over_time(const LinkRates& rates, Alarms& alarms);

}  // namespace dipaco
