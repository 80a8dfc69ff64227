#pragma once

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/outer/schedule.hpp"
#include "core/queue/path_entry.hpp"

namespace dipaco {

/// What it takes to move a path's state from site to site: nothing where that is not known, or where there is no state
/// yet. Pure logic.
class MoveTimes {
 public:
  void state_is(Bytes state) { state_ = state; }
  /// What a byte takes. @returns whether that is news: it differs by a twentieth at least
  bool way_takes(SiteId from, SiteId to, double seconds_a_byte);
  /// To a worker of the site.
  Seconds of(const PathEntry& path, SiteId to) const;
  const StateMoves& all() const { return moves_; }

 private:
  Bytes state_;
  StateMoves moves_;
};

}  // namespace dipaco
