#pragma once

#include <string>

#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "core/base/units.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// Between two hosts, without anything else on the way.
struct RoundTrip {
  Seconds time{};
  std::string from{};
  std::string to{};
};

/// The longest between nodes that have to talk, as far as pairs_to_check shows it. REQUIRES an engine that has loaded
/// the scenario, and that its routes were checked.
RoundTrip longest_round_trip(const ScenarioFile& file, const Placement& placement);

/// @throws ConfigError where a limit of [liveness] is over before any answer can come
void check_round_trip(const LivenessOptions& liveness, const RoundTrip& longest, const std::string& scenario);

}  // namespace dipaco
