#pragma once

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Where a path is, as the journal says.
/// @param run_goes_on  its worker may still be at the task
PathEntry restored_path(const RunState& run, const PathRecord& record, bool run_goes_on);

/// Journals where a worker or an executor is that has said hello, if that is news.
void note_place(RunState& run, const PlaceRecord& place);
/// Workers at a task say hello only once they are through with it: until then they count as there, and busy.
void expect_busy_workers(RunState& run);
/// All executors and stores of a run that is begun anew as a whole are there: what they do not have is nowhere.
/// @throws DataError naming it
void check_nothing_missing(const RunState& run);

}  // namespace dipaco
