#pragma once

#include <vector>

#include "core/cli/run_folder.hpp"
#include "core/cli/shared_options.hpp"
#include "core/log/report.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {

/// Writes what a run that has come to its end leaves in its folder, and tells it on stdout.
/// @param facts  what the backend knows: sites, nodes, traffic, the program's cost
void leave_outputs(RunFacts facts, const RunPlan& plan, const RunResult& result, const std::vector<Event>& events,
                   const SharedOptions& shared, const RunFolder& folder);

}  // namespace dipaco
