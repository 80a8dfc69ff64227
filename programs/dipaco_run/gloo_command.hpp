#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

ProgramInfo gloo_info();

/// `dipaco-run --backend gloo`: this process's part of a run of several.
ExitStatus run_gloo_command(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
