#pragma once

#include <cstddef>
#include <map>
#include <simgrid/s4u.hpp>
#include <span>
#include <string>
#include <vector>

#include "backends/sim/data_parallel/collectives.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/traffic.hpp"
#include "core/report/intervals.hpp"

namespace dipaco {

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
  /// Of all that take part, together.
  FlopsPerSecond speed() const;
  /// Of those that take part: ranks of collectives are numbered so.
  std::vector<SiteId> sites() const;

  /// A host has gone on or off. @returns whether it is a rank's
  bool changed(const simgrid::s4u::Host& host);
  bool any_change() const { return gone_ || came_; }
  /// Whether a rank has gone since this was asked last. Then no change is known.
  bool take_gone();

  /// What the phases take, one after the other, by sending each phase's messages once.
  Seconds time_of(std::span<const CollectivePhase> phases) const;
  /// Counts what the phases send, so often.
  void count(Traffic& traffic, std::span<const CollectivePhase> phases, std::int64_t times) const;
  /// Those that take part have computed meanwhile.
  void computed(std::map<std::string, std::vector<Interval>>& busy, Interval when) const;

  /// Waits for the start-up of ranks that came, and gives those that lack the state so many bytes: the first one of a
  /// site from another site's or from the store, the others of its site from there. 0 bytes: all have it.
  void recover(Bytes state, Traffic& traffic);
  /// Sends the state to a store and writes it there.
  void write_checkpoint(Bytes state, Traffic& traffic) const;
  /// Who goes on begins with a checkpoint.
  void forget_state();

 private:
  struct Rank {
    simgrid::s4u::Host* host = nullptr;
    SiteId site{};
    FlopsPerSecond speed;
    Seconds start_up{};
    Seconds came{};
    bool holds = true;  ///< the job's state: at the start the prepared one
  };
  struct Place {
    simgrid::s4u::Host* host = nullptr;
    SiteId site{};
  };
  struct Way {
    Place from;
    Place to;
  };

  std::vector<const Rank*> there_ranks() const;
  Place store_at(SiteId site) const;
  void move(std::span<const Way> ways, Bytes size, Traffic& traffic) const;

  std::vector<Rank> ranks_;  ///< those of a site next to each other
  std::vector<PlacedNode> stores_;
  simgrid::s4u::Host* home_ = nullptr;
  std::vector<const Rank*> taking_part_;
  bool gone_ = false;
  bool came_ = false;
};

}  // namespace dipaco
