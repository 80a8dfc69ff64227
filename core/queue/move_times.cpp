#include "core/queue/move_times.hpp"

#include <cmath>

#include "core/queue/speeds.hpp"

namespace dipaco {

bool MoveTimes::way_takes(SiteId from, SiteId to, double seconds_a_byte) {
  const Seconds move(seconds_a_byte * static_cast<double>(state_.value));
  Seconds& known = moves_[{from, to}];
  if (std::abs((move - known).count()) <= Speeds::kSame * known.count()) return false;
  known = move;
  return true;
}

Seconds MoveTimes::of(const PathEntry& path, SiteId to) const {
  const auto known = moves_.find({path.site, to});
  return known == moves_.end() ? Seconds(0) : known->second;
}

}  // namespace dipaco
