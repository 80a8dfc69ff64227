#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

ProgramInfo loopback_info();

/// `dipaco-run --backend loopback`.
ExitStatus run_loopback_command(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
