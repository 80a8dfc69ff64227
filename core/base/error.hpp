#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dipaco {

// Errors are told apart by who must act (docs/architecture.md, "Errors").

/// The user must change an option, a run file or a scenario. Exit status 2.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user must mend or replace a file. Exit status 3.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The run cannot go on by itself. `exit_status` is a value of ExitStatus: 4 (no progress by the deadline), 5 (peers
/// lost for good), or, at a node that the coordinator refuses, the status that it answers with (6: not authorised).
class RunError : public std::runtime_error {
 public:
  RunError(int exit_status, const std::string& what) : std::runtime_error(what), exit_status_(exit_status) {}
  int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

/// Throws std::logic_error, a bug of ours, unless `condition` holds. Never compiled out.
inline void check(bool condition, std::string_view what, std::source_location where = std::source_location::current()) {
  if (condition) return;
  throw std::logic_error("bug: " + std::string(what) + " (" + where.file_name() + ":" + std::to_string(where.line()) +
                         ")");
}

/// Exit statuses of all programs (docs/reading-the-output.md).
enum class ExitStatus : int {
  done = 0,
  not_met = 1,      ///< what was asked for does not hold; nothing went wrong
  usage = 2,        ///< ConfigError
  data = 3,         ///< DataError
  no_progress = 4,  ///< RunError, as the next two
  peers_lost = 5,
  not_authorised = 6,  ///< the coordinator did not let this node in
};

}  // namespace dipaco
