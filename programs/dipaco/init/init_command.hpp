#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

/// `dipaco init`: what it takes.
ProgramInfo init_program();

/// Writes a run file for a text, with a comment on each choice. Never writes over a file.
/// @throws ConfigError, DataError; Interrupted while the text is read
ExitStatus run_init(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
