#pragma once

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Where a path is, as the journal says.
/// @param run_goes_on  its worker may still be at the task
PathEntry restored_path(const RunState& run, const PathRecord& record, bool run_goes_on);

}  // namespace dipaco
