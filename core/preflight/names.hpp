#pragma once

#include <vector>

#include "core/preflight/measures.hpp"
#include "core/transport/preflight_messages.hpp"

namespace dipaco {

/// The zone of all sites in a scenario.
inline constexpr const char* kWorld = "world";
/// Behind a site's name: its router in a scenario.
inline constexpr const char* kGateway = "-gateway";

/// Gives processes names, and sites words, that a scenario can use: each once.
/// @param attends  site by site
std::vector<Attendee> named(const std::vector<Attend>& attends);

}  // namespace dipaco
