#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/events.hpp"

namespace dipaco {

/// The time of what has not happened: not a number, so that it compares with nothing.
inline constexpr Seconds kNever{std::numeric_limits<double>::quiet_NaN()};
inline bool happened(Seconds time) { return !std::isnan(time.count()); }

enum class AttemptEnd : std::uint8_t {
  open,              ///< the run ended first
  committed,         ///< by the one attempt at a task that counted
  handed_back,       ///< after a notice: a store has its inner steps
  requeued,          ///< the task was given to another
  superseded,        ///< another attempt was committed in the meantime
  notice_too_short,  ///< requeued: no store would have had its inner steps before its worker was gone
};
/// As in tasks.csv; "" for open.
const char* name(AttemptEnd end);
/// Whether the task went to another with nothing of what the attempt had done.
constexpr bool is_requeued(AttemptEnd end) {
  return end == AttemptEnd::requeued || end == AttemptEnd::notice_too_short;
}

/// One attempt at a task (path, outer step): a row of tasks.csv.
struct Attempt {
  PathId path{-1};
  OuterStep outer_step = kNoOuterStep;
  std::int16_t attempt = 0;  ///< from 1
  AttemptEnd end = AttemptEnd::open;
  NodeId worker{-1};
  Seconds queued = kNever;  ///< the task could go to a worker: its modules were ready, or the attempt before ended
  Seconds assigned = kNever;
  Seconds started = kNever;   ///< its inputs are there
  Seconds computed = kNever;  ///< the inner steps ended: done, or as many as fitted after a notice
  Seconds stopped = kNever;   ///< the same, or when the worker was lost in the middle of them
  Seconds stored = kNever;    ///< what it made had arrived at a store, whether or not its worker heard so
  Seconds ended = kNever;
  Seconds computing{};                ///< in inner steps, its worker being up: [started, stopped] less freezes
  std::int32_t length = 0;            ///< of the task, in inner steps; 0: as long as all
  std::int32_t first_inner_step = 0;  ///< where earlier attempts had left off
  std::int32_t inner_steps = 0;       ///< computed; estimated where the worker was lost in the middle
  std::int32_t useful_steps = 0;      ///< that reached a module: all of them, or 0
  double loss_sum = 0;                ///< of the inner steps reported
};

/// Places of `events` in time's order; events of one time keep theirs.
std::vector<std::uint32_t> time_order(const std::vector<Event>& events);

// `tau` below: inner steps of a task that does not say how long it is.

/// The attempts that `events` tell of, by outer step, path and attempt. `stopped`, `computing` and `useful_steps` are
/// not set. One attempt at a task is committed at most, the first to be. A commit whose worker did not live to tell of
/// it shows in what came after: the path went on, the run has finished, or a store had the whole of the task's last
/// attempt.
std::vector<Attempt> collect_attempts(const std::vector<Event>& events, std::span<const std::uint32_t> order,
                                      std::int64_t tau, bool finished);

/// Sets useful_steps. A committed attempt's inner steps are useful, and those of attempts that it went on from: whose
/// inner steps a store had, up to where it began itself, and so on back to the task's first. `attempts` in
/// collect_attempts' order.
void credit_steps(std::span<Attempt> attempts, std::int64_t tau);

/// Sets inner_steps of attempts that were stopped without a word: the seconds at the pace of the same worker's other
/// attempts, or at the mean pace of all where it has none, in whole steps and fewer than were to be done. `computing`
/// must be set.
void estimate_lost_steps(std::span<Attempt> attempts, std::int64_t tau);

}  // namespace dipaco
