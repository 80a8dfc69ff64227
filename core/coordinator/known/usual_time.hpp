#pragma once

#include <optional>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Inner steps of the worker's tasks as a rule.
std::int32_t usual_length(RunState& run, NodeId worker);

/// How long a task of so many inner steps usually takes this worker, from its assignment to its end; nullopt where
/// nobody has done any.
std::optional<Durations::Estimate> usual_time(RunState& run, NodeId worker, std::int32_t length);

/// After how long a task is late that usually takes so long.
Seconds late_after(const Durations::Estimate& usual);

}  // namespace dipaco
