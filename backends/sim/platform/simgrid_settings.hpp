#pragma once

#include <string>
#include <vector>

#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Looks at the values of SimGrid's settings that a network's times depend on, in a scenario's <config> and on the
/// command line: SimGrid's own errors about values name no setting, and it takes some that cannot be.
/// @param cfg  "KEY:VALUE" each, from --cfg
/// @throws ConfigError naming file and line, or --cfg, value and remedy
void check_settings(const ScenarioFile& file, const std::vector<std::string>& cfg);

}  // namespace dipaco
