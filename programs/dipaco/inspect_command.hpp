#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

/// `dipaco inspect`: what it takes.
ProgramInfo inspect_program();

/// Prints what a finished run's shards or modules look like.
/// @throws ConfigError, DataError; Interrupted between two shards once `stop` is set
ExitStatus run_inspect(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
