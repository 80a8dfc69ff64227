#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/outer/schedule.hpp"
#include "core/queue/exchange_times.hpp"
#include "core/queue/fleet.hpp"
#include "core/queue/path_table.hpp"
#include "core/queue/site_ways.hpp"

namespace dipaco {

/// A worker that waits although it is free.
struct HeldBack {
  NodeId worker{};
  Seconds task{};  ///< that one would take it, and what that gives to where it is needed
  Seconds left{};  ///< from now until all tasks of the outer step can be done
};

/// Something is known of workers' speeds, and some are slower than others, or at other sites.
inline bool choice_matters(const Fleet& fleet) {
  return !fleet.speeds().none_known() && (!fleet.speeds().all_equal() || fleet.sites().size() > 1);
}

/// Says by a schedule which free worker should take a task, and which rather waits: with it the outer step would end
/// later, or a path's state would cross to another site for nothing. Pure logic.
class Reserve {
 public:
  /// At first nobody has to wait.
  void plan_by(std::shared_ptr<const Schedule> schedule, TaskCost cost);

  /// What workers do. To be told of all that they do.
  Fleet& fleet() { return fleet_; }
  /// What it takes to cross to another site. To be told of modules, owners and lines.
  SiteWays& ways() { return ways_; }
  /// There is more or less to do than was foreseen.
  void foresee_anew() {
    horizons_.clear();
    ++surprises_;
  }
  /// What was foreseen holds for this moment, and as long as nothing changes. @returns another number where anything
  /// but the time has changed
  std::uint64_t foresee(Seconds now);

  /// Whether anybody may have to wait: there is a schedule that lets them, and workers differ in speed or site.
  bool matters() const { return schedule_ != nullptr && schedule_->lets_wait() && choice_matters(fleet_); }
  /// Whether the free worker should take the path's next task, which is queued.
  /// REQUIRES foresee(now).
  bool takes(NodeId node, const PathEntry& path, const PathTable& paths, Seconds now);
  /// No state moves where the worker takes the path's next task.
  bool stays(const PathEntry& path, NodeId node) const {
    return path.site == kNowhere || path.site == fleet_.workers().at(node).site;
  }
  /// Whether the free worker can do a whole task of the outer step in time. REQUIRES foresee(now).
  bool in_time(NodeId node, OuterStep outer_step, const PathTable& paths, Seconds now);
  /// Why the free worker waits although a task of this outer step is queued: with it the step would end later. nullopt:
  /// that is not why. REQUIRES foresee(now).
  std::optional<HeldBack> holds_back(NodeId node, OuterStep outer_step, const PathTable& paths, Seconds now);
  /// The free worker takes the path's next task. @returns as foresee() has it
  std::uint64_t gives(NodeId node, const PathEntry& path, Seconds now);
  /// When somebody is late whom a task may have been left to; nullopt: nobody is awaited.
  std::optional<Seconds> looks_again_at(Seconds now) const;

 private:
  /// The tasks of an outer step and all before that are not given out.
  struct Horizon {
    bool whole = false;                    ///< whether all of this is known, or `given` alone
    Seconds end{};                         ///< when all can be done, and what they give is at the modules' owners
    bool new_here = false;                 ///< there are paths that are at no site yet
    std::map<SiteId, std::int64_t> spare;  ///< tasks that a site's workers can do by then beyond those of the paths
                                           ///< whose states are there; below 0: so many have to leave it
    std::map<SiteId, GivenOut> given;      ///< tasks of the outer step itself that a site has
  };

  std::uint64_t changes() const { return fleet_.changes() + ways_.changes(); }
  Horizon& begun(OuterStep outer_step, const PathTable& paths, Seconds now);
  const Horizon& horizon(OuterStep outer_step, const PathTable& paths, Seconds now);
  OpenTasks tasks_until(OuterStep round, const PathTable& paths, Seconds now);
  void count_spare(Horizon& horizon, const OpenTasks& tasks, Seconds now) const;
  Delivery delivery(SiteId site, const Horizon& horizon, bool new_here, std::int64_t more = 1) const;
  bool is_near(const Fleet::Worker& worker, const Horizon& horizon, bool new_here, Seconds now) const;
  bool may_leave(const PathEntry& path, SiteId for_site, const Horizon& horizon) const;

  std::shared_ptr<const Schedule> schedule_;
  Fleet fleet_;
  SiteWays ways_;
  std::pair<Seconds, std::uint64_t> seen_{};  ///< the time and the changes that the horizons are of
  std::map<OuterStep, Horizon> horizons_;
  std::uint64_t surprises_ = 0;
};

}  // namespace dipaco
