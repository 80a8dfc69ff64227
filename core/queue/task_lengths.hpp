#pragma once

#include <cstdint>

#include "core/queue/path_entry.hpp"
#include "core/queue/speeds.hpp"

namespace dipaco {

/// How many inner steps tasks have, and with which a path ends. Pure logic.
class TaskLengths {
 public:
  /// All are equally long, and the number of outer steps says with which a path ends.
  explicit TaskLengths(std::int64_t inner_steps) : most_(inner_steps) {}
  /// A worker does as many inner steps as it can while the fastest does `most` (DyLU, 2401.09135, Eq. 6), and each path
  /// does `of_a_path` in all.
  TaskLengths(std::int64_t most, std::int64_t of_a_path) : most_(most), of_a_path_(of_a_path) {}

  bool differ() const { return of_a_path_ > 0; }
  /// Of a task that goes to a worker of this speed first: a whole number, 1 at least. Speeds that differ by no more
  /// than noise are equal.
  /// @param speed   of the worker; 0: not known, as if nobody were faster
  /// @param speeds  of all workers
  std::int32_t usual(double speed, const Speeds& speeds) const;
  /// The same of the path's next task: no more than the path has left.
  std::int32_t next(const PathEntry& path, double speed, const Speeds& speeds) const;
  /// In which order paths' next tasks go out: by outer steps, or, where tasks differ, by inner steps that are done. The
  /// shards are then learned evenly (2401.09135, Eq. 2, of which this is the one most behind instead of a drawn one).
  OuterStep turn_of(const PathEntry& path) const {
    return differ() ? OuterStep{static_cast<std::int32_t>(path.trained)} : path.outer_step;
  }
  /// A whole task, as the fastest workers do, in inner steps.
  std::int32_t whole() const { return static_cast<std::int32_t>(most_); }
  /// The round of tasks with this turn, for which a schedule foresees: the outer step, or, where tasks differ, the
  /// fourths of a whole task that are done.
  OuterStep round_of(OuterStep turn) const {
    return differ() ? OuterStep{static_cast<std::int32_t>(number(turn) / fourth())} : turn;
  }
  OuterStep round_of(const PathEntry& path) const { return round_of(turn_of(path)); }
  /// Where tasks differ: how much of a whole task a path with so many inner steps lacks until it is a whole one past
  /// the beginning of this round, or at its end.
  double lacks(std::int64_t trained, OuterStep round) const;
  /// Where tasks differ: the path's newest state has all of its inner steps.
  bool all_done(const PathEntry& path) const { return differ() && path.trained >= of_a_path_; }
  /// Where tasks differ: the path has none behind its next task, which was given out.
  bool is_last(const PathEntry& path) const {
    return differ() && path.length > 0 && path.trained + path.length >= of_a_path_;
  }

 private:
  std::int64_t fourth() const { return most_ < 4 ? 1 : most_ / 4; }

  std::int64_t most_;
  std::int64_t of_a_path_ = 0;
};

}  // namespace dipaco
