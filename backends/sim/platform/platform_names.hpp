#pragma once

#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Looks at each name of a link, host, router, zone or trace that a platform's routes and trace_connects give, and at
/// the direction that the two halves of a SPLITDUPLEX link need. Links that SimGrid makes for a cluster
/// ("CLUSTER_link_3") and routers of clusters that are no flat ones are left to SimGrid.
/// @throws ConfigError naming file, line, value and the nearest known name, or the remedy
void check_names(const ScenarioFile& file);

}  // namespace dipaco
