#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/queue/coming_states.hpp"
#include "core/queue/exchange_times.hpp"
#include "core/queue/fleet.hpp"
#include "core/queue/move_times.hpp"
#include "core/queue/waiting/planned_homes.hpp"

namespace dipaco {

/// What it takes to cross to another site: path states, outer gradients, versions. Pure logic.
class SiteWays {
 public:
  void state_is(Bytes state) { moves_.state_is(state); }
  /// To be told of modules, their owners and what is known of lines.
  ExchangeTimes& exchange() { return exchange_; }
  /// What a byte takes from site to site, as it was measured. @returns whether that is news
  bool way_takes(SiteId from, SiteId to, double seconds_a_byte);
  /// Takes in which sites have workers, and whether it takes any time that counts beside computing to exchange what
  /// their tasks give.
  void look(const Fleet& fleet, std::int32_t paths);
  /// Path states are at this site, too: what is known of lines says how long they take from there.
  void states_at(SiteId site);

  /// States on their way to workers. To be told when one begins or its task ends.
  ComingStates& coming() { return coming_; }
  /// Where paths should begin, so that little crosses. To be told of tasks that are queued.
  PlannedHomes& planned_homes() { return planned_homes_; }
  /// Another number where anything has changed.
  std::uint64_t changes() const { return changes_ + exchange_.changes(); }
  const MoveTimes& moves() const { return moves_; }
  // As of the last look.
  /// That have workers.
  const std::vector<SiteId>& sites() const { return sites_; }
  bool exchange_matters() const { return exchange_matters_; }
  /// As ExchangeTimes has it.
  Seconds versions_to(SiteId site) const { return exchange_.versions_to(site); }
  /// As ExchangeTimes has it; nothing where that does not matter.
  Seconds after(SiteId site, std::int64_t tasks, bool new_here) const {
    return exchange_matters_ ? exchange_.after(site, tasks, new_here) : Seconds(0);
  }

 private:
  void know_moves(SiteId from);

  MoveTimes moves_;
  ComingStates coming_;
  PlannedHomes planned_homes_;
  ExchangeTimes exchange_;
  std::vector<SiteId> sites_;
  std::set<SiteId> homes_;                                       ///< from which moves are known, as far as lines are
  std::optional<std::pair<std::uint64_t, std::uint64_t>> seen_;  ///< changes of sites and of the exchange
  bool exchange_matters_ = false;
  std::uint64_t changes_ = 0;
};

}  // namespace dipaco
