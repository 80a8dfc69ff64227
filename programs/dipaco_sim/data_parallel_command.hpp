#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

// `dipaco-sim data-parallel SCENARIO.xml`: what as many steps of one model take that all workers train data-parallel,
// as a baseline.

ProgramInfo data_parallel_info();
ExitStatus run_data_parallel(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
