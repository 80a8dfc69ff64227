#pragma once

#include <string>
#include <vector>

#include "core/config/run_config.hpp"
#include "core/config/settings.hpp"

namespace dipaco {

/// Checks that what the policy and the outer optimizer need is so: make_plan does, too, for a configuration that no run
/// file gave.
/// @param file, settings  as below
/// @throws ConfigError
void check_outer(const RunConfig& config, const std::string& file, const std::vector<Setting>& settings);

/// Checks what no key can tell by itself: that the values fit one another, and the topology the model.
/// @param file      stands in errors about keys that are left at their defaults
/// @param settings  what was given, for the lines in errors
/// @throws ConfigError; DataError where the topology's table cannot be read
void check_fit(const RunConfig& config, const std::string& file, const std::vector<Setting>& settings);

}  // namespace dipaco
