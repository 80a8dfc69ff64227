#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/prices.hpp"
#include "core/report/accounts/intervals.hpp"

namespace dipaco {

/// What a machine draws while it is there.
struct MachinePower {
  Watts idle;
  Watts busy;      ///< in inner steps and in jobs
  double pue = 1;  ///< power usage effectiveness: what its site draws for each watt of the machine
};

/// A machine as somebody pays for it. Several nodes may be on it.
struct MachineFacts {
  std::string name;  ///< NodeFacts::host of its nodes
  SiteId site{};
  bool billed_while_away = true;      ///< not so where its owner takes it away and gives it back (spot)
  std::vector<Interval> there{};      ///< when it was there, on the run's clock
  std::optional<UsdPerHour> price{};  ///< what is paid for it: of a spot machine its spot price
  std::optional<MachinePower> power{};
  std::optional<UsdPerKilowattHour> power_price{};  ///< beside `price`; not without `power`
};

/// Prices and power, as a backend knows them. What is not given does not apply, and is no 0.
struct CostFacts {
  std::vector<MachineFacts> machines;                       ///< each a time; all have a price, or none; so with power
  std::map<std::pair<SiteId, SiteId>, EgressPrice> egress;  ///< (from, to): all pairs that send, or none
};

}  // namespace dipaco
