#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/sim/machines/host_departure.hpp"
#include "core/events/events.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// Keys of summary.json (docs/reading-the-output.md, "Losses by cause"): each figure of what workers lost, split by why
/// their machines went off. An attempt that is lost counts to the first departure of its worker's machine between its
/// assignment and its end; where it was handed back, or could not be, to the next one. A worker that went down counts
/// to the departure at that moment. The rest is `other`. REQUIRES: facts are complete, as summarize() has them
std::map<std::string, Fact> losses_by_cause(const RunFacts& facts, const std::vector<HostDeparture>& departures,
                                            const std::vector<Event>& events);

}  // namespace dipaco
