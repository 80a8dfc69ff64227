#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/events/events.hpp"
#include "core/events/traffic.hpp"
#include "core/report/accounts/cost_facts.hpp"

namespace dipaco {

struct Account;
struct RunFacts;

/// What one machine comes to: a row of machines.csv.
struct MachineBill {
  Seconds there{};
  Seconds billed{};
  Seconds busy{};  ///< any of its nodes was in inner steps or in a job
  std::optional<Usd> usd;
  std::optional<KilowattHours> energy;
  std::optional<Usd> energy_usd;
};

/// What a run comes to. What has no price is not there.
struct Bill {
  std::vector<MachineBill> machines;                ///< [CostFacts::machines]
  std::map<std::pair<SiteId, SiteId>, Usd> egress;  ///< (from, to) of different sites that have a price
  std::optional<Usd> machine_usd;
  std::optional<Usd> egress_usd;
  std::optional<Usd> energy_usd;
  std::optional<Usd> usd;  ///< of these three, those that are there
  std::optional<KilowattHours> energy;
};

/// Adds everything up, within [0, end]. A machine is billed from the first moment that it is there to the end; one that
/// is not billed while it is away, for as long as it is there. It draws its idle power while it is there, and its busy
/// power instead while it is busy; nothing while it is away.
/// @param busy  [costs.machines]
Bill make_bill(const CostFacts& costs, const Traffic& traffic, std::span<const Intervals> busy, Seconds end);

/// When the nodes of each machine were in inner steps, useful or lost, or in jobs, while they were up. [machines]
std::vector<Intervals> busy_times(const RunFacts& facts, const Account& account, const std::vector<Event>& events);

}  // namespace dipaco
