#include "core/queue/site_speeds.hpp"

#include <algorithm>
#include <cmath>

namespace dipaco {

void SiteSpeeds::add(SiteId site, double speed) {
  ++sites_[site].workers;
  sites_[site].speed += speed;
  ++changes_;
}

void SiteSpeeds::remove(SiteId site, double speed) {
  Site& its = sites_.at(site);
  its.speed -= speed;
  if (--its.workers == 0) sites_.erase(site);
  ++changes_;
}

std::vector<SiteId> SiteSpeeds::all() const {
  std::vector<SiteId> all;
  for (const auto& [site, its] : sites_) all.push_back(site);
  return all;
}

bool SiteSpeeds::any_known() const {
  return std::ranges::any_of(sites_, [](const auto& site) { return site.second.speed > 0; });
}

std::map<SiteId, std::int64_t> SiteSpeeds::split(std::int32_t tasks) const {
  double all = 0;
  for (const auto& [site, its] : sites_) all += its.speed;
  std::map<SiteId, std::int64_t> split;
  for (const auto& [site, its] : sites_) {
    const double share = all > 0 ? its.speed / all : 1.0 / static_cast<double>(sites_.size());
    split[site] = std::max<std::int64_t>(1, std::llround(share * tasks));
  }
  return split;
}

}  // namespace dipaco
