#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace dipaco {

/// What a process of its own has come to: what its job returned, or why there is nothing.
struct Told {
  std::string text;
  int status = 0;       ///< of ExitStatus; done: `text` is what the job returned; else it is the error's
  bool killed = false;  ///< by a signal: then nothing is known of the job
};

/// Does each job in a process of its own, `at_once` side by side, and nothing that they print is seen. SimGrid has one
/// engine a process, and ends its process at some errors. REQUIRES that no engine was made in this process.
/// @param stop  ends all
/// @param each  is told of each job as it ends; may be empty
/// @returns by job @throws Interrupted once `stop` is set; std::system_error
std::vector<Told> in_processes(const std::vector<std::function<std::string()>>& jobs, int at_once,
                               const std::atomic<bool>& stop,
                               const std::function<void(std::size_t, const Told&)>& each = {});

/// What the process said. @throws ConfigError, DataError or RunError, as its job has
std::string text_of(const Told& told);
/// The same of one job in a process of its own.
std::string in_a_process(const std::function<std::string()>& job, const std::atomic<bool>& stop);

}  // namespace dipaco
