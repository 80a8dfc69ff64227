#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/event.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// What a line between two sites made of large messages. A stretch lasts as long as one of them, or several, were on
/// their way, waiting for their turn included. Those do not count in which other large messages left the one site or
/// came to the other, or one came to a node that computed meanwhile and took it in later.
struct LineRate {
  double rate = 0;    ///< bytes a second, over all stretches
  double spread = 0;  ///< deviation of the logarithm of a message's rate, if each differs for itself: by the median
                      ///< distance of stretches' rates from their median
  Seconds message{};  ///< of a stretch, for each message
  std::int64_t stretches = 0;
};

/// Fewer stretches say nothing of a line.
inline constexpr std::int64_t kStretchesForRate = 5;

/// By the sites of sender and receiver, where there were enough stretches. @param events  by time
std::map<std::pair<SiteId, SiteId>, LineRate> line_rates(const RunFacts& facts, std::span<const Event> events);

}  // namespace dipaco
