#pragma once

#include "core/base/error.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

ProgramInfo sweep_info();

/// `dipaco-sim sweep`: simulates a scenario for each choice of some keys' values and each seed, several side by side,
/// and leaves tables of all (docs/studies.md). Goes on where it was stopped.
ExitStatus run_sweep(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
