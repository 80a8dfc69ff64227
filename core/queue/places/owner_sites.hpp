#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/queue/exchange_times.hpp"
#include "core/queue/fleet.hpp"

namespace dipaco {

/// Where the shared modules should have their owners, and where tasks are done then.
struct OwnerSites {
  std::set<SiteId> sites;
  ExchangeTimes::TasksAt tasks;  ///< of an outer step; where no worker's speed is known, one for each worker
};

/// The sites whose executors should own the shared modules (run.place=auto): all that have executors, unless an outer
/// step ends sooner, by more than noise, if those of fewer do. All, too, where nothing is known of lines or of any
/// worker's speed. Pure.
///
/// Choice: of the sites with the fastest lines to workers the one with which an outer step ends first, then one more as
/// long as that helps. A step is foreseen with paths that are at no site yet.
/// @param exchange   modules and lines; owners are set here
/// @param executors  the site of each
OwnerSites owner_sites(const Fleet& fleet, ExchangeTimes exchange, const std::vector<SiteId>& executors,
                       std::int32_t paths);

}  // namespace dipaco
