#pragma once

#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Looks at SimGrid's profiles: the files that a host or link names (`state_file`, ...), and each <trace>. SimGrid says
/// of most errors in one neither file nor line, and takes some that cannot be. Stochastic ones are left to SimGrid.
/// @throws DataError naming file, line, value and remedy: a line without two numbers, a time below 0 or before the last
///         one, a value that its kind cannot have, a period that is over before its last time; ConfigError for a
///         state_file of a SPLITDUPLEX link, and for a file that is not there
void check_profiles(const ScenarioFile& file);

}  // namespace dipaco
