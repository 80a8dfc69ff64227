#pragma once

#include <string>

#include "core/preflight/measures.hpp"

namespace dipaco {

/// The speed that a host gets whose step time nobody said: a placeholder.
inline constexpr const char* kUnknownSpeed = "100Tf";

/// `measures` as the text (XML) of a scenario for dipaco-sim: a host for each process, a zone for each site, and links
/// on which a message that is alone takes as long as it did.
///
/// What flows share cannot be seen in pairs. Choice: a host sends no more in all than to any one other, two sites have
/// one line each way, which all their hosts share, and a site's own line carries what was measured with all others at
/// once.
/// @param run  the run file that the scenario names, relative to it; "": none
std::string measured_scenario(const NetworkMeasures& measures, const std::string& run);

}  // namespace dipaco
