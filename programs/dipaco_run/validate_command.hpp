#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

ProgramInfo validate_info();

/// `dipaco-run validate`: real runs on sites of this machine whose lines are limited, and their simulations.
ExitStatus run_validate_command(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
