#include "core/queue/places/path_homes.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace dipaco {
namespace {

/// A site that gets one path after another.
class FilledSite {
 public:
  /// @param homes  [paths] kNowhere: still to be had
  FilledSite(const Topology& topology, std::span<const std::uint64_t> sizes, std::span<const SiteId> homes)
      : topology_(topology),
        sizes_(sizes),
        held_(static_cast<std::size_t>(topology.levels())),
        missing_(homes.size(), 0),
        by_level_(held_.size()) {
    for (std::size_t p = 0; p < homes.size(); ++p) {
      if (homes[p] != kNowhere) continue;
      const PathId path{static_cast<std::int32_t>(p)};
      missing_[p] = static_cast<std::int32_t>(lacking(path).size());
      move(path, true);
    }
  }

  /// Takes the path that suits it best. REQUIRES that there is one.
  PathId take() {
    const PathId path = best();
    move(path, false);
    missing_[position(path)] = 0;
    for (const std::int32_t l : lacking(path)) get(topology_.module(path, l));
    return path;
  }

 private:
  static std::size_t position(PathId path) { return static_cast<std::size_t>(index(path)); }
  bool is_shared(ModuleId module) const { return topology_.paths_through(module).size() > 1; }

  /// Levels at which the site has not the path's module.
  std::vector<std::int32_t> lacking(PathId path) const {
    std::vector<std::int32_t> levels;
    for (std::int32_t l = 0; l < topology_.levels(); ++l) {
      const ModuleId module = topology_.module(path, l);
      if (is_shared(module) && !modules_.contains(module)) levels.push_back(l);
    }
    return levels;
  }

  /// Puts the path into the set where it belongs by what it lacks, or takes it out.
  void move(PathId path, bool in) {
    const std::int32_t missing = missing_[position(path)];
    auto& set = missing == 1 ? by_level_[static_cast<std::size_t>(lacking(path).front())] : by_missing_[missing];
    if (in) {
      set.insert(path);
    } else {
      set.erase(path);
    }
    if (set.empty() && missing != 1) by_missing_.erase(missing);
  }

  void get(ModuleId module) {
    std::vector<PathId> nearer;
    for (const PathId path : topology_.paths_through(module)) {
      if (missing_[position(path)] == 0) continue;
      move(path, false);
      --missing_[position(path)];
      nearer.push_back(path);
    }
    modules_.insert(module);
    held_[static_cast<std::size_t>(module.level)] += sizes_[static_cast<std::size_t>(module.level)];
    for (const PathId path : nearer) move(path, true);
  }

  PathId best() const {
    if (const auto free = by_missing_.find(0); free != by_missing_.end()) return *free->second.begin();
    const std::set<PathId>* chosen = nullptr;
    std::uint64_t least = 0;
    for (std::size_t l = 0; l < by_level_.size(); ++l) {
      const std::uint64_t then = held_[l] + sizes_[l];
      if (by_level_[l].empty() || (chosen != nullptr && then >= least)) continue;
      chosen = &by_level_[l];
      least = then;
    }
    if (chosen == nullptr) chosen = &by_missing_.begin()->second;
    return *chosen->begin();
  }

  const Topology& topology_;
  std::span<const std::uint64_t> sizes_;
  std::vector<std::uint64_t> held_;  ///< [levels] of what the site has
  std::set<ModuleId> modules_;
  std::vector<std::int32_t> missing_;                    ///< [paths] modules that the site has not
  std::map<std::int32_t, std::set<PathId>> by_missing_;  ///< paths still to be had that lack none or several
  std::vector<std::set<PathId>> by_level_;               ///< [levels] those that lack one
};

/// Some modules are used by several paths, but not by all.
bool any_choice(const Topology& topology) {
  return std::ranges::any_of(topology.modules(), [&](ModuleId module) {
    const auto through = static_cast<std::int32_t>(topology.paths_through(module).size());
    return through > 1 && through < topology.paths();
  });
}

/// A site, and how many paths it gets.
using Room = std::pair<SiteId, std::int64_t>;

/// By their parts of the tasks, the largest first; together all paths. Sites without tasks get none.
std::vector<Room> rooms_of(const ExchangeTimes::TasksAt& tasks, std::int32_t paths) {
  std::vector<Room> rooms;
  std::int64_t all = 0;
  for (const auto& [site, count] : tasks) {
    if (count > 0) rooms.emplace_back(site, count);
    all += count;
  }
  std::ranges::stable_sort(rooms, std::greater<>(), &Room::second);
  std::int64_t before = 0;  // tasks of the sites before
  for (auto& [site, room] : rooms) {
    const std::int64_t from = before * paths / all;
    before += room;
    room = before * paths / all - from;
  }
  return rooms;
}

using Homes = std::vector<SiteId>;  // [paths]

std::vector<PathId> by_number(const Topology& topology) {
  std::vector<PathId> order;
  for (std::int32_t p = 0; p < topology.paths(); ++p) order.push_back(PathId{p});
  return order;
}

/// Squares of two rows and two columns, and of these such squares, and so on: the bits of a path's experts, by turns.
std::vector<PathId> square_by_square(const Topology& topology) {
  const auto position = [&](PathId path) {
    std::uint64_t bits = 0;
    for (int bit = 15; bit >= 0; --bit) {
      for (std::int32_t l = 0; l < std::min(topology.levels(), 4); ++l) {
        const ModuleId module = topology.module(path, l);
        if (topology.path_specific(module)) continue;
        bits = 2 * bits + (static_cast<std::uint64_t>(module.expert) >> bit & 1);
      }
    }
    return bits;
  };
  std::vector<PathId> order = by_number(topology);
  std::ranges::stable_sort(order, {}, position);
  return order;
}

PathPlan in_squares(const Topology& topology, std::span<const std::uint64_t> sizes, const std::vector<Room>& rooms) {
  Homes homes(static_cast<std::size_t>(topology.paths()), kNowhere);
  for (const auto& [site, room] : rooms) {
    FilledSite filled(topology, sizes, homes);
    for (std::int64_t k = 0; k < room; ++k) homes[static_cast<std::size_t>(index(filled.take()))] = site;
  }
  return {homes, square_by_square(topology)};
}

/// Paths by their experts at this level, and then by number: site after site.
PathPlan in_rows(const Topology& topology, std::int32_t level, const std::vector<Room>& rooms) {
  PathPlan plan{.homes = Homes(static_cast<std::size_t>(topology.paths())), .order = by_number(topology)};
  std::ranges::stable_sort(plan.order, {}, [&](PathId path) { return topology.module(path, level).expert; });
  auto next = plan.order.begin();
  for (const auto& [site, room] : rooms) {
    for (std::int64_t k = 0; k < room; ++k) plan.homes[static_cast<std::size_t>(index(*next++))] = site;
  }
  return plan;
}

/// Of all modules, each as often as sites have paths of it.
std::uint64_t size_at_sites(const Topology& topology, std::span<const std::uint64_t> sizes, const Homes& homes) {
  std::uint64_t all = 0;
  for (const auto& [module, sites] : paths_near(topology, homes)) {
    all += sites.size() * sizes[static_cast<std::size_t>(module.level)];
  }
  return all;
}

}  // namespace

PathPlan path_homes(const Topology& topology, std::span<const std::uint64_t> sizes,
                    const ExchangeTimes::TasksAt& tasks) {
  const std::vector<Room> rooms = rooms_of(tasks, topology.paths());
  if (rooms.size() < 2 || !any_choice(topology)) return {};
  std::vector<PathPlan> tried;
  for (std::int32_t l = 0; l < topology.levels(); ++l) tried.push_back(in_rows(topology, l, rooms));
  tried.push_back(in_squares(topology, sizes, rooms));
  return std::ranges::min(tried, {}, [&](const PathPlan& plan) { return size_at_sites(topology, sizes, plan.homes); });
}

PathsNear paths_near(const Topology& topology, std::span<const SiteId> homes) {
  PathsNear near;
  for (std::size_t p = 0; p < homes.size(); ++p) {
    const PathId path{static_cast<std::int32_t>(p)};
    for (std::int32_t l = 0; l < topology.levels(); ++l) {
      const ModuleId module = topology.module(path, l);
      if (!topology.path_specific(module) && homes[p] != kNowhere) ++near[module][homes[p]];
    }
  }
  return near;
}

}  // namespace dipaco
