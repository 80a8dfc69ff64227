#pragma once

#include <string>

#include "backends/sim/scenario/placement.hpp"

namespace dipaco {

/// Takes workers and evaluators out of a placement: all of a site, or those on a host. Its other nodes stay, as others
/// need them, and other machines come and go as before.
/// @throws ConfigError where `name` is no site or host with one of these roles (with the nearest), or no worker is left
void leave_out(Placement& placement, const std::string& name);

}  // namespace dipaco
