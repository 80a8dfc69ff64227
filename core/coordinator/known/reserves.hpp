#pragma once

#include <string>
#include <vector>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// After tasks were given out: names workers that the run's schedule lets wait from now on.
void name_reserves(RunState& run);

/// The worker gets a task, alone or beside another worker.
void called_up(RunState& run, NodeId worker);

/// A line for each worker in reserve, for a person; of very many the first ones.
std::vector<std::string> workers_in_reserve(const RunState& run);

}  // namespace dipaco
