#pragma once

#include <filesystem>

#include "programs/shared/program.hpp"

namespace dipaco {

/// `dipaco prepare`: what it takes.
ProgramInfo prepare_program();

/// Makes the prepared directory of a run file and prints what is in it.
/// @throws ConfigError, DataError; Interrupted between two steps of a stage once `stop` is set
ExitStatus run_prepare(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
