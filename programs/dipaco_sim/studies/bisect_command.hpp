#pragma once

#include "core/base/error.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

ProgramInfo bisect_info();

/// `dipaco-sim bisect`: the first of an axis' values from which on a condition holds (docs/studies.md).
ExitStatus run_bisect(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
