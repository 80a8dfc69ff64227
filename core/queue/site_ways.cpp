#include "core/queue/site_ways.hpp"

#include <algorithm>

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
  if (std::vector<SiteId> sites = fleet.sites().all(); sites != sites_) {
    sites_ = std::move(sites);
    homes_.insert(sites_.begin(), sites_.end());
    for (const SiteId home : homes_) know_moves(home);
  }
  const Seconds noise = Speeds::kSame * fleet.task_of({});
  exchange_matters_ = std::ranges::any_of(fleet.sites().split(paths), [&](const auto& site) {
    return exchange_.after(site.first, site.second, true) > noise;
  });
}

void SiteWays::states_at(SiteId site) {
  if (exchange_.knows_lines() && homes_.insert(site).second) know_moves(site);
}

void SiteWays::know_moves(SiteId from) {
  for (const SiteId to : sites_) {
    const auto way = from == to ? std::nullopt : exchange_.way(from, to);
    if (way) moves_.way_takes(from, to, *way);
  }
}

}  // namespace dipaco
