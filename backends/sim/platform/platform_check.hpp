#pragma once

#include <string>
#include <vector>

#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Looks at what a platform says before SimGrid reads it, which takes some of what cannot be, ends the process at some,
/// and knows no line of some: SimGrid's settings (check_settings), elements and attributes (check_words), quantities
/// (check_quantities), names (check_names), profiles (check_profiles).
/// @param cfg  "KEY:VALUE" each, for SimGrid
/// @throws ConfigError naming file, line, value and remedy; DataError for a profile
void check_platform(const ScenarioFile& file, const std::vector<std::string>& cfg);

}  // namespace dipaco
