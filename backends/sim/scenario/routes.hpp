#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// Hosts that exchange messages: from, to.
using HostPair = std::pair<std::string, std::string>;

/// Pairs of hosts, one of which serves (coordinates, executes or stores), whose routes stand for those of all such
/// pairs: from each host to a server of its zone and to one of another zone, between each two zones from one host to
/// one server, and back. In a zone with routing="Full", where each route is written by itself, all pairs. So their
/// number grows with the hosts, and with the square of the zones alone.
///
/// A route that only others miss (of a zone with several gateways, say) is noticed by whoever sends along it first.
std::vector<HostPair> pairs_to_check(const ScenarioFile& file, const Placement& placement);

}  // namespace dipaco
