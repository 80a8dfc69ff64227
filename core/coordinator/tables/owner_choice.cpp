#include "core/coordinator/tables/owner_choice.hpp"

#include <tuple>

#include "core/base/error.hpp"

namespace dipaco {

NodeId OwnerChoice::best(ModuleId module, const std::map<NodeId, std::uint64_t>& loads, std::uint64_t part) const {
  check(!loads.empty(), "there is an executor to choose");
  std::map<SiteId, std::uint64_t> of_sites;
  const auto paths = near.find(module);
  for (const auto& [executor, load] : loads) {
    if (paths != near.end()) of_sites[site_of(executor)] += load;
  }
  const auto rank = [&](NodeId executor, std::uint64_t load) {
    if (paths == near.end() || load >= part) return std::tuple(std::int64_t{0}, std::uint64_t{0}, load, executor);
    const SiteId site = site_of(executor);
    const auto there = paths->second.find(site);
    const std::int64_t count = there == paths->second.end() ? 0 : there->second;
    return std::tuple(-count, count > 0 ? of_sites.at(site) : 0, load, executor);
  };
  auto best = rank(loads.begin()->first, loads.begin()->second);
  for (const auto& [executor, load] : loads) best = std::min(best, rank(executor, load));
  return std::get<NodeId>(best);
}

}  // namespace dipaco
