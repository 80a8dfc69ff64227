#include "core/queue/site_ways.hpp"

#include "core/queue/speeds.hpp"

namespace dipaco {

bool SiteWays::way_takes(SiteId from, SiteId to, double seconds_a_byte) {
  if (!moves_.way_takes(from, to, seconds_a_byte)) return false;
  ++changes_;
  exchange_.way_takes(from, to, seconds_a_byte);
  return true;
}

void SiteWays::look(const Fleet& fleet, std::int32_t paths) {
  const std::pair state(fleet.sites().changes(), exchange_.changes());
  if (!exchange_.knows_lines() || seen_ == state) return;
  seen_ = state;
  exchange_matters_ = false;
  const Seconds fastest = fleet.task_of({});
  const auto sites = fleet.sites().split(paths);
  for (const auto& [site, tasks] : sites) {
    // With all tasks, which is the most.
    const Seconds after = exchange_.after(site, paths, true);
    exchange_matters_ = exchange_matters_ || after > Speeds::kSame * fastest;
    for (const auto& [other, its] : sites) {
      const auto way = site == other ? std::nullopt : exchange_.way(site, other);
      if (way) moves_.way_takes(site, other, *way);
    }
  }
}

}  // namespace dipaco
