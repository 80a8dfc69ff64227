#pragma once

#include <cstdint>

#include "core/outer/step_policy.hpp"

namespace dipaco {

/// What becomes of contributions whose task began with an older version than the part's. Staleness counts the steps
/// that have moved the part since: its versions, or every K-th of them where it gathers contributions (buffer.hpp).
struct StalenessOptions {
  bool polynomial = false;         ///< a contribution weighs (1 + staleness)^-1/2 (2401.09135), else 1
  std::int64_t max_staleness = 0;  ///< one that is more steps late is dropped; 0: none is
  std::int64_t buffer = 1;         ///< contributions that a part gathers for a step
};

/// Adds the contribution with its share, as staleness weighs it, or drops it.
/// @throws std::logic_error if its task began with a version that is not out
Verdict weigh_staleness(const StalenessOptions& options, const PartView& part, const ContributionView& contribution);

}  // namespace dipaco
