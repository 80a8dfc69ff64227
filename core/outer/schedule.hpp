#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// What a schedule sees of a worker.
struct WorkerTimes {
  Seconds task{};     ///< that a whole task takes it
  Seconds free_at{};  ///< when it can begin one, on the run's clock
};

/// Tasks of an outer step, and of those before it, that are all to be done before the paths go on.
struct OpenTasks {
  std::int64_t queued = 0;  ///< that could begin now
  std::int64_t coming = 0;  ///< whose paths wait for what others do first
  Seconds coming_at{};      ///< when these can begin, on the run's clock
};

/// Says which workers rather wait than take a task. No bit of a run's result depends on it. Pure: no clock, message or
/// file.
class Schedule {
 public:
  virtual ~Schedule() = default;
  /// False: nobody ever waits, and it is not asked.
  virtual bool lets_wait() const { return true; }
  /// By when the tasks can all be done, on the run's clock. A worker that would end one of them later rather waits; but
  /// one of the fastest takes a task whose state is at its own site all the same. Infinity: nobody waits.
  /// @param workers  all, the busy ones too; may be empty
  virtual Seconds all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks) const = 0;
};

/// run.schedule=first_free, the queue of the paper (§3.1): whoever is free takes the next task.
class FirstFree : public Schedule {
 public:
  bool lets_wait() const override { return false; }
  Seconds all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks) const override;
};

/// run.schedule=earliest_finish: the outer step ends as soon as these workers can end it. A slow one takes a task only
/// where that is done by then.
class EarliestFinish : public Schedule {
 public:
  Seconds all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks) const override;
};

/// A schedule, by the name that run.schedule gives it.
struct NamedSchedule {
  std::string name;
  std::shared_ptr<const Schedule> schedule;  ///< never null
};

/// The schedules of this project; the first is the default.
const std::vector<NamedSchedule>& schedules();

}  // namespace dipaco
