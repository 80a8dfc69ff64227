#pragma once

#include <vector>

#include "analysis/run_files.hpp"

namespace dipaco::analysis {

/// How long a run took, and what its tasks and outer steps took on average, in seconds.
struct Phases {
  double duration = 0;
  double fetch = 0;       ///< of a committed task: until what it begins with was there
  double compute = 0;     ///< in inner steps
  double upload = 0;      ///< until stores had its state
  double outer_step = 0;  ///< from the last commit of an outer step until the last version that has it was out
};

/// @throws DataError where the run has not finished, or has no task
Phases phases_of(const Run& run);

/// The run in the middle by its duration; of an even number the lower one. REQUIRES a run
Phases middle_of(std::vector<Phases> runs);

}  // namespace dipaco::analysis
