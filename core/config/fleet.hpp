#pragma once

#include <cstdint>
#include <string>

#include "core/config/run_config.hpp"

namespace dipaco {

/// @throws ConfigError where the run file asks for what so many workers cannot do
void check_workers(const RunConfig& config, std::int64_t workers);

/// Inner steps are no progress: only what is committed is.
/// @param step  what an inner step takes on the fastest worker that is known of
/// @param where  that is, for the message
/// @throws ConfigError where a task's inner steps alone outlast liveness.deadline
void check_deadline(const RunConfig& config, Seconds step, const std::string& where);

}  // namespace dipaco
