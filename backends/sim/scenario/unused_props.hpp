#pragma once

#include <string>
#include <vector>

#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Props that say nothing of this placement, as "washington-files.memory": what a host trains on or how fast, where
/// none of its nodes trains or evaluates, and how long machines take to start up that never go off. A host without a
/// role is one of Placement::unused_hosts.
std::vector<std::string> unused_props(const ScenarioFile& file, const ScenarioOptions& options,
                                      const std::vector<PlatformZone>& zones, const Placement& placement);

}  // namespace dipaco
