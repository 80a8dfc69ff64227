#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/scenario/placement.hpp"

namespace dipaco {

inline constexpr std::string_view kLosses = "losses";

/// Takes workers and evaluators out of a placement: all of a site, or those on a host. Its other nodes stay, as others
/// need them, and other machines come and go as before.
/// @param names  of sites and hosts; one that is both goes with its site. kLosses: all machines are there all the time
/// @throws ConfigError where one is no site or host with such a role (with the nearest), or no worker is left
void leave_out(Placement& placement, const std::vector<std::string>& names);

}  // namespace dipaco
