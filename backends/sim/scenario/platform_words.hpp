#pragma once

#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Looks for misspelled elements and attributes. One that is like no known one is left to SimGrid, whose newer versions
/// may know it.
/// @throws ConfigError naming file, line and the nearest known name
void check_words(const ScenarioFile& file);

}  // namespace dipaco
