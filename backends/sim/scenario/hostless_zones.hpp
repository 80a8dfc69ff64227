#pragma once

#include <vector>

#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/placement.hpp"

namespace dipaco {

/// Props of hosts, or of what hosts do, would be read and ignored in a zone that has none of its own.
/// @throws ConfigError where a zone has some
void check_hostless_zones(const ScenarioFile& file, const ScenarioOptions& options,
                          const std::vector<PlatformZone>& zones);

}  // namespace dipaco
