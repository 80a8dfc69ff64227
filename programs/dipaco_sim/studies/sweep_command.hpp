#pragma once

#include "core/base/error.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

ProgramInfo sweep_info();

/// `dipaco-sim sweep`: simulates a scenario for each choice of some keys' values and each seed, several side by side,
/// and leaves tables of all (docs/studies.md). Goes on where it was stopped.
ExitStatus run_sweep(const Arguments& arguments, const StopSignal& stop);

/// Whether --repeat asks for several seeds. @throws ConfigError where it is no count
bool wants_seeds(const Arguments& arguments);
/// Simulates the scenario with that many seeds, several side by side, and prints the median and its interval of each
/// figure that differs. Goes on where it was stopped. @throws ConfigError where anything is asked for that only one run
/// has
ExitStatus run_seeds(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
