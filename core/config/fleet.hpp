#pragma once

#include <cstdint>
#include <string>

#include "core/config/run_config.hpp"

namespace dipaco {

/// @throws ConfigError where the run file asks for what so many workers cannot do: run.backup_tasks with one worker
void check_workers(const RunConfig& config, std::int64_t workers);

/// What a message and its answer take, without anything else on the way.
struct RoundTrip {
  Seconds time{};
  std::string from{};  ///< 'host "a"'
  std::string to{};
};

/// @param where  whose round trip it is, to begin the message with
/// @param said   "on this platform": what says so
/// @throws ConfigError where a limit of [liveness] is over before any answer can come
void check_round_trip(const LivenessOptions& liveness, const RoundTrip& longest, const std::string& where,
                      const std::string& said);

/// Checks that a task can be committed before liveness.deadline. Inner steps are no progress: only what is committed
/// is.
/// @param step   what an inner step takes on the fastest worker that is known of
/// @param where  that is, for the message: it stands behind "the inner steps of a task take"
/// @throws ConfigError unless a task's inner steps alone take less than liveness.deadline
void check_deadline(const RunConfig& config, Seconds step, const std::string& where);

}  // namespace dipaco
