#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

ProgramInfo calibrate_info();

/// `dipaco-sim calibrate`: a scenario whose workers are as fast, and as uneven, as was measured.
ExitStatus run_calibrate(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
