#pragma once

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// What has become of the contributions of all committed tasks, as far as the journal knows.
ContributionCounts count_contributions(const RunState& run);

}  // namespace dipaco
