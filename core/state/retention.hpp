#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "core/model/topology.hpp"
#include "core/plan/timetable.hpp"

namespace dipaco {

/// Which versions are kept for evaluations, beside those that training needs: what is due and not done, and each path's
/// best (§2.7). Pure logic.
class Retention {
 public:
  Retention(const Timetable& timetable, const Topology& topology) : timetable_(timetable), topology_(topology) {}

  /// @returns whether that is news; an older word changes nothing
  bool release(Released released) {
    if (released.version <= released_.version) return false;
    released_ = std::move(released);
    best_.clear();
    for (const PathVersion& best : released_.best) best_.emplace(best.path, best.version);
    return true;
  }
  const Released& released() const { return released_; }

  /// @param version  of a state: it serves until the next one
  bool keeps(PathId path, std::int32_t version) const {
    const std::int32_t last = number(timetable_.next_trained(path, OuterStep{version}));
    for (std::int32_t served = version; served <= last; ++served) {
      if (wants(path, served)) return true;
    }
    return false;
  }
  /// In rounds, where a module's version is an outer step; without them nothing is evaluated on the way.
  bool keeps(ModuleId module, Version version) const {
    const auto& paths = topology_.paths_through(module);
    const std::int32_t step = number(version);
    return due(step) || std::any_of(paths.begin(), paths.end(), [&](PathId path) { return wants(path, step); });
  }

 private:
  /// Of a path's modules.
  bool wants(PathId path, std::int32_t version) const { return due(version) || best_.contains({path, version}); }
  bool due(std::int32_t version) const { return version > released_.version && timetable_.kept(version); }

  const Timetable& timetable_;
  const Topology& topology_;
  Released released_;
  std::set<std::pair<PathId, std::int32_t>> best_;  ///< of those
};

}  // namespace dipaco
