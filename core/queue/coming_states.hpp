#pragma once

#include <algorithm>
#include <map>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// States that are on their way to another site, for tasks that were given out: they come to a site one after the
/// other. Pure logic.
class ComingStates {
 public:
  /// The worker of the site was given a task whose state moves there, and takes so long by itself.
  void begins(NodeId worker, SiteId to, Seconds move, Seconds now) {
    ends(worker);
    coming_[to][worker] = free_at(to, now) + move;
    to_[worker] = to;
  }
  /// The worker has done with its task, or is gone. Nothing happens where no state was coming.
  void ends(NodeId worker) {
    const auto found = to_.find(worker);
    if (found == to_.end()) return;
    const auto site = coming_.find(found->second);
    site->second.erase(worker);
    if (site->second.empty()) coming_.erase(site);
    to_.erase(found);
  }
  /// When the next state can begin to come to the site: `now` at the earliest.
  Seconds free_at(SiteId to, Seconds now) const {
    const auto site = coming_.find(to);
    Seconds free = now;
    if (site == coming_.end()) return free;
    for (const auto& [worker, until] : site->second) free = std::max(free, until);
    return free;
  }
  /// The same of all sites to which states are coming.
  std::map<SiteId, Seconds> free_at() const {
    std::map<SiteId, Seconds> all;
    for (const auto& [site, workers] : coming_) all[site] = free_at(site, Seconds(0));
    return all;
  }

 private:
  std::map<SiteId, std::map<NodeId, Seconds>> coming_;  ///< until when each worker's state comes
  std::map<NodeId, SiteId> to_;
};

}  // namespace dipaco
