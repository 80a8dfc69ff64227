#pragma once

#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <simgrid/s4u.hpp>
#include <span>
#include <string>
#include <vector>

#include "backends/sim/data_parallel/collectives.hpp"
#include "backends/sim/data_parallel/overlap.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/traffic.hpp"
#include "core/report/accounts/intervals.hpp"

namespace dipaco {

/// A line between the job's machines is off: it may come back.
class LineOff : public std::exception {};
/// No store is there that could give or take the job's state.
class StoreOff : public std::exception {};

/// The workers of a scenario as ranks of one data-parallel job: who is there, who has the job's state, and what their
/// messages take. All but changed() are for the job's actor.
class Ranks {
 public:
  /// @throws ConfigError where the coordinator's host may go off: it sees to the job
  explicit Ranks(const Placement& placement);

  simgrid::s4u::Host* home() const { return home_; }
  std::size_t all() const { return ranks_.size(); }
  /// How many are there.
  std::size_t there() const;
  /// How many of those have the state.
  std::size_t holding() const;
  /// Those that are there take part, until this is called again. REQUIRES that one is there
  void gather();
  /// Of all that take part, together: of those that have equal shares, as many times the slowest one's.
  FlopsPerSecond speed(RankShare share) const;
  /// Of those that take part: ranks of collectives are numbered so.
  std::vector<SiteId> sites() const;

  /// A host has gone on or off: that of a rank that is on begins after its start-up. @returns when; nullopt: no rank is
  /// there, or it has gone
  std::optional<Seconds> changed(const simgrid::s4u::Host& host);
  /// Its start-up may be over.
  void begins(const simgrid::s4u::Host& host);
  /// What a step takes may be another now.
  void lines_changed() { other_ = true; }
  bool any_change() const { return gone_ > 0 || other_; }
  /// How many ranks that took part have gone since this was asked last. Then no change is known.
  int take_gone();

  /// What the phases take, one after the other, by sending each phase's messages once. @throws LineOff
  Seconds time_of(std::span<const CollectivePhase> phases) const;
  /// Counts what the phases send, so often.
  void count(Traffic& traffic, std::span<const CollectivePhase> phases, std::int64_t times) const;
  /// Those that take part have computed meanwhile, each its share.
  void computed(std::map<std::string, std::vector<Interval>>& busy, RankShare share, Interval when) const;

  /// Gives ranks that lack the state so many bytes: the first one of a site from another site's or from a store, the
  /// others of its site from there. 0 bytes: all have it. @throws LineOff, and StoreOff where no store is there
  void recover(Bytes state, Traffic& traffic);
  /// Sends the state to a store and writes it there. @throws as above
  void write_checkpoint(Bytes state, Traffic& traffic) const;
  /// Who goes on begins with a checkpoint.
  void forget_state();

 private:
  struct Rank {
    simgrid::s4u::Host* host = nullptr;
    SiteId site{};
    FlopsPerSecond speed;
    Seconds start_up{};
    Seconds begins{};   ///< once its start-up is over
    bool holds = true;  ///< the job's state: at the start the prepared one
  };

  std::vector<const Rank*> there_ranks() const;

  std::vector<Rank> ranks_;  ///< those of a site next to each other
  std::vector<PlacedNode> stores_;
  simgrid::s4u::Host* home_ = nullptr;
  std::vector<const Rank*> taking_part_;
  int gone_ = 0;
  bool other_ = false;
};

}  // namespace dipaco
