#pragma once

#include <functional>
#include <stdexcept>

#include "core/base/error.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

/// Thrown by a program's body when it ends because a signal asked it to, everything in order behind it.
/// `what()` says what is left and how to go on.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a program does once its command line is read. Writes results to std::cout, all else to std::cerr; returns the
/// exit status. Throws for whatever fails.
using ProgramBody = std::function<ExitStatus(const Arguments&, const StopSignal&)>;

/// All that `main` does, and the only place that turns an exception into an exit status and one line on stderr
/// ("NAME: what, where, what to do"):
///
///   int main(int argc, char** argv) {
///     return dipaco::run_program(dipaco_sim(), argc, argv, simulate);
///   }
///
///   ConfigError 2, DataError 3, RunError its own status, Interrupted 128 + signal (130, 143), std::bad_alloc and every
///   other exception 70 with "bug:".
///
/// --help and --version print and return 0. The first SIGINT or SIGTERM sets the StopSignal that the body gets; the
/// second ends the program at once. A reader of stdout that goes away (`| head`) ends nothing and is no error; stdout
/// that cannot be written (a full disk) is status 3.
/// REQUIRES: called before the program starts a thread, as the signals are blocked in all of them.
int run_program(const ProgramInfo& program, int argc, char** argv, const ProgramBody& body);

}  // namespace dipaco
