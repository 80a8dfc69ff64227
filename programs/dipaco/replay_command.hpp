#pragma once

#include "programs/shared/command_line.hpp"
#include "programs/shared/program.hpp"

namespace dipaco {

/// dipaco replay DIR: computes a finished run without rounds again, from the order that it left.
ProgramInfo replay_program();
ExitStatus run_replay(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
