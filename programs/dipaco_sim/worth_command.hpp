#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

// `dipaco-sim worth SCENARIO.xml`: how much longer the run takes without each site's workers, and without one of each
// kind of machine.

ProgramInfo worth_info();
ExitStatus run_worth(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
