#pragma once

#include <cstdint>

#include "core/config/run_config.hpp"

namespace dipaco {

/// @throws ConfigError where the run file asks for what so many workers cannot do
void check_workers(const RunConfig& config, std::int64_t workers);

}  // namespace dipaco
