#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/model/topology.hpp"
#include "core/queue/exchange_times.hpp"

namespace dipaco {

/// Where each path should begin, and in which order those of a site.
struct PathPlan {
  std::vector<SiteId> homes;  ///< [paths]
  std::vector<PathId> order;  ///< all of them
};

/// Paths that share modules share sites: what crosses between sites for a module crosses once for each site that has
/// tasks of it, or once for each of its tasks. Empty where nothing can be chosen: one site has all tasks, or no module
/// is used by some paths and not by others. Pure.
///
/// Choice: sites are filled one after another, that with the most tasks first, in one of several ways, of which that is
/// taken with which sites have the least in all. Some fill rows: paths with the same expert of one level. A site's own
/// modules, which no other site has paths of, then get all their outer gradients one after another, and their versions
/// are on their way while it trains the next. The last fills squares: a site gets the path that brings the fewest
/// modules that it has not; of those that bring one, a path that brings it at the level of whose modules the site has
/// least. So on a grid n paths have about 2 sqrt(n) modules. It trains them in smaller squares, so that it is through
/// with modules of all levels early.
/// @param sizes  [levels] of a module of each level
/// @param tasks  of an outer step at each site: it gets its part of the paths
PathPlan path_homes(const Topology& topology, std::span<const std::uint64_t> sizes,
                    const ExchangeTimes::TasksAt& tasks);

/// How many paths through each module have their home at each site.
using PathsNear = std::map<ModuleId, std::map<SiteId, std::int64_t>>;
/// @param homes  [paths]
PathsNear paths_near(const Topology& topology, std::span<const SiteId> homes);

}  // namespace dipaco
