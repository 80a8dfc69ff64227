#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace dipaco::testing {

/// What a program run to its end came to.
struct Outcome {
  int status = -1;     ///< its exit status, or 128 + signal
  std::string output;  ///< what it wrote to stdout, where that was a pipe of ours
  std::string error;   ///< to stderr
};

/// Where a program's stdout goes.
enum class Output { read, nobody_reads, full_disk };

/// Runs the built program `name`. Nothing is on its stdin.
Outcome run_built(const std::string& name, const std::vector<std::string>& arguments, Output output = Output::read);

/// Runs it, and sends it `signal` once its stderr has `word`.
Outcome run_until(const std::string& word, int signal, const std::string& name,
                  const std::vector<std::string>& arguments);

/// Runs it, and kills it (SIGKILL) once `time` has passed: its status is then 128 + 9.
Outcome run_for(std::chrono::milliseconds time, const std::string& name, const std::vector<std::string>& arguments);

}  // namespace dipaco::testing
