#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// How much the workers of each site can do together, as far as their speeds are known. Pure logic.
class SiteSpeeds {
 public:
  /// A worker of this speed is there; 0: it is not known.
  void add(SiteId site, double speed);
  /// REQUIRES that it was added.
  void remove(SiteId site, double speed);
  std::size_t size() const { return sites_.size(); }
  bool has(SiteId site) const { return sites_.contains(site); }
  /// That have workers.
  std::vector<SiteId> all() const;
  bool any_known() const;
  /// How many of so many tasks are each site's part, if that is as large as its part of what all can do: one at least.
  std::map<SiteId, std::int64_t> split(std::int32_t tasks) const;
  /// Another number where that may have changed.
  std::uint64_t changes() const { return changes_; }

 private:
  struct Site {
    int workers = 0;
    double speed = 0;  ///< of all that are known
  };

  std::map<SiteId, Site> sites_;  ///< that have workers
  std::uint64_t changes_ = 0;
};

}  // namespace dipaco
