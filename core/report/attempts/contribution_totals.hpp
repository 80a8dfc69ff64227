#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/events.hpp"
#include "core/report/attempts/attempts.hpp"

namespace dipaco {

/// What became of contributions to shared modules, and how stale those were that were applied: how many versions came
/// out between the one that their task began with and the one that they went into; and how long they waited for it.
struct ContributionTotals {
  std::int64_t applied = 0;
  std::int64_t dropped = 0;
  std::int64_t staleness_sum = 0;  ///< of those applied, in versions
  std::int64_t most_stale = 0;     ///< of those applied
  Seconds waited{};                ///< of those applied, from when they came until their version was out
  Seconds last_applied = kNever;   ///< when the last version with one of them was out

  ContributionTotals& operator+=(const ContributionTotals& other);
  /// Of those applied; not a number where none was.
  double mean_staleness() const;
  /// The same.
  Seconds mean_wait() const;
};

/// By the outer step of their tasks; empty for a run in rounds, whose events say nothing of it. An executor that begins
/// anew may tell a contribution's end again: the last word counts. Events may come in any order.
std::map<OuterStep, ContributionTotals> contribution_totals(const std::vector<Event>& events);

/// Of the paths most of whose contributions were dropped, so that most of what they computed moved no shared module.
std::map<PathId, ContributionTotals> starved_paths(const std::vector<Event>& events);

}  // namespace dipaco
