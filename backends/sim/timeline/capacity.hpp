#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "backends/sim/timeline/availability.hpp"

namespace dipaco {

/// "3 from 2h to 4h, 0 from 10h": how many of `machines` there are at most, in the times that are named; a stretch
/// without an end lasts for ever. From each time on, so many may be there; outside of the stretches all.
/// @throws std::invalid_argument saying what is wrong and what to write (the caller knows where it was written): no
///         such text, more than `machines`, a stretch that ends before it begins, two that overlap
std::vector<AvailabilityStep> parse_capacity(std::string_view text, std::int64_t machines);

/// From one time to another, or for ever.
struct TimeStretch {
  Seconds from{};
  std::optional<Seconds> to;
};

/// "from 2h to 4h, from 10h": stretches of time, ascending; two that touch are one. @throws std::invalid_argument as
/// parse_capacity
std::vector<TimeStretch> parse_stretches(std::string_view text);

}  // namespace dipaco
