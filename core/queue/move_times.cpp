#include "core/queue/move_times.hpp"

#include <algorithm>
#include <cmath>

#include "core/queue/speeds.hpp"

namespace dipaco {

bool MoveTimes::way_takes(SiteId from, SiteId to, double seconds_a_byte) {
  const Seconds move(seconds_a_byte * static_cast<double>(state_.value));
  Seconds& known = known_[{from, to}];
  if (std::abs((move - known).count()) <= Speeds::kSame * known.count()) return false;
  moves_[{from, to}] = known = move;
  sites_.insert({from, to});
  slowest_out_[from] = slowest_in_[to] = Seconds(0);
  for (const SiteId site : sites_) {
    if (const auto out = known_.find({from, site}); out != known_.end()) {
      slowest_out_[from] = std::max(slowest_out_[from], out->second);
    }
    if (const auto in = known_.find({site, to}); in != known_.end()) {
      slowest_in_[to] = std::max(slowest_in_[to], in->second);
    }
  }
  for (const SiteId end : {from, to}) {
    for (const SiteId site : sites_) {
      guess(end, site);
      guess(site, end);
    }
  }
  return true;
}

void MoveTimes::guess(SiteId from, SiteId to) {
  if (from == to || known_.contains({from, to})) return;
  const auto slowest = [](const std::map<SiteId, Seconds>& all, SiteId site) {
    const auto found = all.find(site);
    return found == all.end() ? Seconds(0) : found->second;
  };
  moves_[{from, to}] = std::max(slowest(slowest_out_, from), slowest(slowest_in_, to));
}

Seconds MoveTimes::of(const PathEntry& path, SiteId to) const {
  const auto known = moves_.find({path.site, to});
  return known == moves_.end() ? Seconds(0) : known->second;
}

}  // namespace dipaco
