#pragma once

#include <map>
#include <set>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/outer/schedule.hpp"
#include "core/queue/path_entry.hpp"

namespace dipaco {

/// What it takes to move a path's state from site to site: nothing where there is no state yet, or nothing is known.
/// A way of which nothing is known counts like the slowest that is known out of the one site or into the other. Pure
/// logic.
class MoveTimes {
 public:
  void state_is(Bytes state) { state_ = state; }
  /// What a byte takes. @returns whether that is news: it differs by a twentieth at least
  bool way_takes(SiteId from, SiteId to, double seconds_a_byte);
  /// To a worker of the site.
  Seconds of(const PathEntry& path, SiteId to) const;
  const StateMoves& all() const { return moves_; }

 private:
  void guess(SiteId from, SiteId to);

  Bytes state_;
  StateMoves known_;
  StateMoves moves_;  ///< those, and guesses for all other pairs of the same sites
  std::set<SiteId> sites_;
  std::map<SiteId, Seconds> slowest_out_;
  std::map<SiteId, Seconds> slowest_in_;
};

}  // namespace dipaco
