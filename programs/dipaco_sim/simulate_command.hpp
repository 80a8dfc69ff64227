#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

// `dipaco-sim SCENARIO.xml`: runs a run file on a SimGrid platform.

ProgramInfo sim_info();
ExitStatus simulate_scenario(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
