#pragma once

#include "core/base/error.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

ProgramInfo recommend_info();

/// `dipaco-sim recommend`: the choice of some keys' values with the least of a figure, among those that meet some
/// conditions, found with few runs; and a scenario and a run file of it (docs/studies.md).
ExitStatus run_recommend(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
