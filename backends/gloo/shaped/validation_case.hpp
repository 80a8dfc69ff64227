#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/shaped/shaped_sites.hpp"
#include "core/base/units.hpp"
#include "core/events/event.hpp"

namespace dipaco {

/// A process of a case's run.
struct CaseProcess {
  std::string name;  ///< its site's and a number: as a preflight names its host
  std::string site;
  std::vector<Role> roles;
  std::optional<Seconds> step_time{};  ///< of a worker that sleeps instead of learning

  bool has(Role role) const;
};

/// A process that goes during the run.
struct CaseLoss {
  std::size_t process = 0;  ///< of ValidationCase::processes
  Seconds after{};          ///< the last process has started
};

/// A run that is done for real and simulated, as a file of cases describes it (docs/validate.md).
struct ValidationCase {
  std::string name;
  std::string text;  ///< what says it, whitespace and comments apart: equal for equal cases
  std::vector<ShapedLine> lines;
  std::vector<CaseProcess> processes;   ///< in the order in which they start; the first one coordinates
  std::filesystem::path run;            ///< the run file
  std::vector<std::string> set;         ///< changes of it
  bool learns = false;                  ///< workers compute
  bool known_lines = false;             ///< the run is told what the preflight has measured
  bool apart = false;                   ///< nothing of its real runs goes into its simulation
  std::optional<CaseLoss> lost{};       ///< killed, its site's line cut at the same moment
  std::optional<CaseLoss> preempted{};  ///< gets SIGTERM
};

/// Reads a file of cases. @throws ConfigError with file and line, what is wrong and what to write; DataError where it
/// cannot be read
std::vector<ValidationCase> read_validation_cases(const std::filesystem::path& file);

/// Such as "a 100, b 20 Mbit/s; workers 47, 50 ms; b-0 lost after 20 s".
std::string described(const ValidationCase& one);

}  // namespace dipaco
