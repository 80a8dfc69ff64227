#pragma once

#include <span>
#include <string>

#include "backends/sim/network/network.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// The largest messages that are under way, for a person whose run stands still: how much of each has come, over which
/// link, and what that link is worth; begins with "; ". Empty where nothing is under way.
std::string what_is_under_way(const SimNetwork& network, std::span<const NodeFacts> nodes);

}  // namespace dipaco
