#pragma once

#include <string>
#include <vector>

#include "backends/sim/scenario/placement.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// Whether the charged path can be trained on each worker whose scenario says what memory it has (docs/cost-model.md).
/// @returns what a person should know: workers that take a batch in parts
/// @throws ConfigError naming file, line, workers, what is needed and what would make it fit
std::vector<std::string> check_device_memory(const RunConfig& config, const Placement& placement,
                                             const std::string& scenario);

}  // namespace dipaco
