#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/prices.hpp"
#include "core/base/units.hpp"
#include "core/events/event.hpp"
#include "core/report/accounts/intervals.hpp"

namespace dipaco {

struct Account;
struct RunFacts;

/// When a run was as good as evaluate.target_perplexity asks, and what it had cost by then.
struct TargetReached {
  Seconds time{};
  std::optional<Usd> usd;  ///< not there where nothing has a price
};

/// The first of the run's evaluations that is at or below the target counts: those of evaluate.every at the moment when
/// the last module of their outer step was out, that of the end at the run's end. Machines are billed as if the run had
/// ended then. Egress is that of the run's bytes, of each pair of sites as large a share as of its large messages had
/// come. Nothing where no evaluation is as good, or no target was set.
/// @param account  all but its bill
/// @param busy  [facts.costs.machines]
std::optional<TargetReached> target_reached(const RunFacts& facts, const Account& account,
                                            const std::vector<Event>& events, std::span<const Intervals> busy);

}  // namespace dipaco
