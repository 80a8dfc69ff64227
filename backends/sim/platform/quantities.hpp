#pragma once

#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Looks at each quantity of a platform that SimGrid reads: bandwidths, latencies, speeds, and the numbers of cores,
/// pstates and a cluster's hosts. SimGrid takes a number without its unit for bytes a second, seconds or operations a
/// second, and numbers that cannot be.
/// @throws ConfigError naming file, line, value and remedy: no number, no unit or none that SimGrid knows, not above 0
///         (a latency: below 0; 0 needs no unit, as it is the same in all)
void check_quantities(const ScenarioFile& file);

}  // namespace dipaco
