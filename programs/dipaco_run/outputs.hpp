#pragma once

#include <vector>

#include "core/report/report.hpp"
#include "core/roles/roles.hpp"
#include "programs/shared/run_folder.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {

/// Writes what a run that has come to its end leaves in its folder, and tells it on stdout.
/// @param facts  what the backend knows: sites, nodes, traffic, the program's cost
void leave_outputs(RunFacts facts, const RunPlan& plan, const RunResult& result, const std::vector<Event>& events,
                   const SharedOptions& shared, const RunFolder& folder);

/// The end of a run before it was finished.
struct EarlyEnd {
  const RunError& why;
  Seconds at{};  ///< on the run's clock
};

/// The same of a run that has ended before it was finished: no model.
void leave_unfinished(RunFacts facts, const RunPlan& plan, const EarlyEnd& end, const std::vector<Event>& events,
                      const SharedOptions& shared, const RunFolder& folder);

}  // namespace dipaco
