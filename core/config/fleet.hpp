#pragma once

#include <cstdint>
#include <string>

#include "core/config/run_config.hpp"

namespace dipaco {

/// @throws ConfigError where the run file asks for what so many workers cannot do: run.backup_tasks with one worker
void check_workers(const RunConfig& config, std::int64_t workers);

/// Checks that a task can be committed before liveness.deadline. Inner steps are no progress: only what is committed
/// is.
/// @param step   what an inner step takes on the fastest worker that is known of
/// @param where  that is, for the message: it stands behind "the inner steps of a task take"
/// @throws ConfigError unless a task's inner steps alone take less than liveness.deadline
void check_deadline(const RunConfig& config, Seconds step, const std::string& where);

}  // namespace dipaco
