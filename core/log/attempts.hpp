#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/log/events.hpp"

namespace dipaco {

/// The time of what has not happened: not a number, so that it compares with nothing.
inline constexpr Seconds kNever{std::numeric_limits<double>::quiet_NaN()};
inline bool happened(Seconds time) { return !std::isnan(time.count()); }

enum class AttemptEnd : std::uint8_t { open, committed, handed_back, requeued };
/// As in tasks.csv; "" for open.
const char* name(AttemptEnd end);

/// One attempt at a task (path, outer step): a row of tasks.csv.
struct Attempt {
  PathId path{-1};
  std::int32_t outer_step = -1;
  std::int16_t attempt = 0;  ///< from 1
  AttemptEnd end = AttemptEnd::open;
  NodeId worker{-1};
  Seconds queued = kNever;  ///< the task could go to a worker: its modules were ready, or the attempt before ended
  Seconds assigned = kNever;
  Seconds started = kNever;   ///< its inputs are there
  Seconds computed = kNever;  ///< the inner steps ended: done, or as many as fitted after a notice
  Seconds stopped = kNever;   ///< the same, or when the worker was lost in the middle of them
  Seconds ended = kNever;
  std::int32_t inner_steps = 0;   ///< computed; estimated where the worker was lost in the middle
  std::int32_t useful_steps = 0;  ///< that reached a module: all of them, or 0
  double loss_sum = 0;            ///< of the inner steps reported
};

/// Places of `events` in time's order; events of one time keep theirs.
std::vector<std::uint32_t> time_order(const std::vector<Event>& events);

/// The attempts that `events` tell of, by outer step, path and attempt. `stopped` and `useful_steps` are not set.
std::vector<Attempt> collect_attempts(const std::vector<Event>& events, std::span<const std::uint32_t> order);

/// Sets useful_steps. A committed attempt's inner steps are useful, and those of attempts that were handed back and
/// that it went on from: the last ones before it that make up `tau` together with its own. `attempts` in
/// collect_attempts' order.
void credit_steps(std::span<Attempt> attempts, std::int64_t tau);

/// Sets inner_steps of attempts that were stopped without a word: the seconds at the pace of the same worker's other
/// attempts, or at the mean pace of all where it has none, in whole steps and fewer than `tau`. `stopped` must be set.
void estimate_lost_steps(std::span<Attempt> attempts, std::int64_t tau);

}  // namespace dipaco
