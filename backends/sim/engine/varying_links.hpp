#pragma once

#include <cstdint>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/scenario/changes.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "backends/sim/timeline/link_rates.hpp"

namespace dipaco {

/// What vary_links would throw for the scenario with these changes.
void check_varying_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes);

/// What links' props bandwidth_over_time and jitter say, by SimGrid's names. Those links of SimGrid's engine, which has
/// loaded the platform, get the bandwidth of time 0, without jitter.
/// @throws ConfigError where a prop names no file or no jitter, stands beside a bandwidth_file, is of a WIFI link, or a
///         change sets the bandwidth too; DataError for the CSV (read_link_rates)
LinkRates vary_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes);

/// Before the simulation: has the bandwidth of links change at its times. REQUIRES: `rates` and `alarms` outlive it.
/// @param seed  of jitter
void vary_over_time(const LinkRates& rates, std::uint64_t seed, Alarms& alarms);

}  // namespace dipaco
