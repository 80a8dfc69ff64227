#pragma once

#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Looks for misspelled elements and attributes, and at the platform's version. An element or attribute that is like no
/// known one is left to SimGrid, whose newer versions may know it.
/// @throws ConfigError naming file, line and the nearest known name, or the version to write
void check_words(const ScenarioFile& file);

}  // namespace dipaco
