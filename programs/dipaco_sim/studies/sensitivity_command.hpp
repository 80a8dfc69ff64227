#pragma once

#include "core/base/error.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

ProgramInfo sensitivity_info();

/// `dipaco-sim sensitivity`: which of some assumptions moves a figure most, each changed alone (docs/studies.md).
ExitStatus run_sensitivity(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
