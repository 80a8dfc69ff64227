#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/accounts/account.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// trace.json: Chrome trace events, which Perfetto opens. A process a site, a track a node, and beside a worker's track
/// as many more as it has transfers at once; then a process with the critical path, of at most a tenth of all slices.
/// Slices of a track lie apart or within one another. At most `limit` slices and instants, the first ones; a mark says
/// where it was cut.
std::string trace_json(const RunFacts& facts, const std::vector<Event>& events, const Account& account,
                       std::int64_t limit);

}  // namespace dipaco
