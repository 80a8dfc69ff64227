#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

ProgramInfo preflight_info();

/// `dipaco-run preflight`: this process's part of measuring the network of a run.
ExitStatus run_preflight_command(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
