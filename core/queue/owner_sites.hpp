#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/queue/exchange_times.hpp"
#include "core/queue/fleet.hpp"

namespace dipaco {

/// The sites whose executors should own the shared modules (run.place=auto): all that have executors, unless an outer
/// step ends sooner, by more than noise, if those with the slowest lines own none. Pure.
///
/// Choice: sites are left out one after the other, the one with the slowest lines to the workers first, and it is
/// foreseen for each number of them when all paths' tasks are done and exchanged, each beginning from nothing.
/// @param exchange   modules and lines; owners and tasks are set here
/// @param executors  the site of each
std::set<SiteId> owner_sites(const Fleet& fleet, ExchangeTimes exchange, const std::vector<SiteId>& executors,
                             std::int32_t paths);

}  // namespace dipaco
