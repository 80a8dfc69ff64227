#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// What a schedule sees of a worker.
struct WorkerTimes {
  Seconds task{};     ///< that a whole task takes it
  Seconds free_at{};  ///< when it can begin one, on the run's clock
  SiteId site{};
};

/// Where the state is not that a path's task begins with: all nodes have the prepared start.
inline constexpr SiteId kNowhere{-1};

/// Tasks of an outer step that are given out at a site.
struct GivenOut {
  std::int64_t tasks = 0;
  Seconds first_end{std::numeric_limits<double>::infinity()};  ///< of one of them, on the run's clock

  void add(Seconds end) {
    ++tasks;
    first_end = std::min(first_end, end);
  }
};

/// How what a site's tasks of an outer step give comes to where that needs it. It goes on its way when its task ends,
/// and the site's lines carry one after the other.
struct Delivery {
  Seconds one{};                                               ///< of what one task gives, alone
  Seconds all{};                                               ///< of what all of them give
  Seconds first_end{std::numeric_limits<double>::infinity()};  ///< of those that are given out, on the run's clock

  /// When all of it is there, if the last of them ends at `end`.
  Seconds done_at(Seconds end) const { return std::max(end + one, std::min(first_end, end) + all); }
  /// The latest end of the last of them with which all of it is there by `time`.
  Seconds latest_end(Seconds time) const { return time - (first_end + all <= time ? one : all); }
};

/// Tasks of an outer step, and of those before it, that are all to be done before the paths go on: how many paths have
/// their states at each site, or at none (kNowhere).
struct OpenTasks {
  using BySite = std::map<SiteId, std::int64_t>;
  BySite queued;        ///< that could begin now
  BySite coming;        ///< whose paths wait for what others do first
  Seconds coming_at{};  ///< when these can begin, on the run's clock
  /// Of what so many of them give beside those that are given out, if they are done at this site. Empty: no time.
  std::function<Delivery(SiteId site, std::int64_t tasks)> delivery{};
  std::map<SiteId, Seconds> way_free{};  ///< when the next state can begin to come to a site; not in here: at once
};

/// What it takes to move a path's state from site to site; 0 where it is not in here.
using StateMoves = std::map<std::pair<SiteId, SiteId>, Seconds>;

/// Says which workers rather wait than take a task. No bit of a run's result depends on it. Pure: no clock, message or
/// file.
class Schedule {
 public:
  virtual ~Schedule() = default;
  /// False: nobody ever waits, and it is not asked.
  virtual bool lets_wait() const { return true; }
  /// By when the tasks can all be done and what they give is where it is needed, on the run's clock. A worker that
  /// would be later with one of them rather waits; but one of the fastest takes a task whose state is at its own site
  /// all the same, if nobody's is nearer to where it is needed. Infinity: nobody waits.
  /// @param workers  all, the busy ones too; may be empty
  virtual Seconds all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks,
                              const StateMoves& moves) const = 0;
};

/// run.schedule=first_free, the queue of the paper (§3.1): whoever is free takes the next task.
class FirstFree : public Schedule {
 public:
  bool lets_wait() const override { return false; }
  Seconds all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks,
                      const StateMoves& moves) const override;
};

/// run.schedule=earliest_finish: the outer step ends as soon as these workers can end it, if a state moves only to
/// where its task is done sooner in spite of that. A slow one takes a task only where that is done by then.
class EarliestFinish : public Schedule {
 public:
  Seconds all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks,
                      const StateMoves& moves) const override;
};

/// A schedule, by the name that run.schedule gives it.
struct NamedSchedule {
  std::string name;
  std::shared_ptr<const Schedule> schedule;  ///< never null
};

/// The schedules of this project; the first is the default.
const std::vector<NamedSchedule>& schedules();

}  // namespace dipaco
