#pragma once

#include <vector>

#include "core/plan/plan.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Messages that a node of another run might send: of every kind that names a path, module, level, outer step, version,
/// inner step or phase, one for each such field and each value that `plan` does not have: just below and above what it
/// has, and the largest and smallest numbers. The other fields are of this run.
/// REQUIRES a plan with re-shardings whose modules of the last level are the paths' own.
std::vector<Body> strange_messages(const RunPlan& plan);

}  // namespace dipaco
