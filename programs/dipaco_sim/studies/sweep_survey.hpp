#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/dipaco_sim/studies/sweep_folder.hpp"
#include "programs/dipaco_sim/studies/sweep_inputs.hpp"
#include "programs/dipaco_sim/studies/sweep_runs.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

/// What all runs of a question have in common.
struct SweepGround {
  SweepInputs inputs;
  std::string name;  ///< of the run file
  std::uint64_t seed = 0;
  std::vector<std::string> training_keys{};  ///< of the axes that change how much a run trains
};

/// Looks at each point's settings, so that a wrong one is told before anything is simulated.
/// @throws ConfigError, DataError
SweepGround survey(const SweepQuestion& question, const StopSignal& stop);

/// Where the runs go. @throws as SweepFolder does
SweepFolder folder_of(const SweepQuestion& question, const SweepGround& ground);

}  // namespace dipaco
