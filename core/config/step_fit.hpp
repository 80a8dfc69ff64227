#pragma once

#include <string>
#include <vector>

#include "core/config/run_config.hpp"
#include "core/config/settings.hpp"
#include "core/model/step_memory.hpp"

namespace dipaco {

/// What inner.memory asks for (docs/cost-model.md, "The memory of a device"): that a step fits, and where
/// inner.micro_batch is auto and whole batches do not, the largest power of two of rows that do. A function of the run
/// file alone, since it changes bits: all nodes find the same.
/// @param file, settings  as check_fit has them
/// @throws ConfigError where no row fits, or fewer than inner.micro_batch says, with what would make it fit
void fit_steps(RunConfig& config, const std::string& file, const std::vector<Setting>& settings);

/// What to do where not even one row fits: the least that a run file can change, or else what it cannot.
std::string remedy_for_a_row(const ModelOptions& model, const StepForm& now, Bytes memory);

}  // namespace dipaco
