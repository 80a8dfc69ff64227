#pragma once

#include "programs/shared/program.hpp"

namespace dipaco {

/// `dipaco evaluate`: what it takes.
ProgramInfo evaluate_program();

/// Scores a finished run's paths on its validation documents, or on other text, routed once a document or every W
/// tokens, and prints what it found.
/// @throws ConfigError, DataError; Interrupted between two paths or two slices of a router's steps once `stop` is set
ExitStatus run_evaluate(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco
