#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/plan/plan.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Which path state a task begins with, and whether that is at the worker without a store: the prepared start, or the
/// newest state of the path that it trained last. Pure logic.
class KnownStart {
 public:
  explicit KnownStart(const RunPlan& plan) : plan_(plan) {}

  /// The task's state, as a store is asked for it: in its middle, what was handed back of it.
  FetchPathState of(const Task& task) const;
  bool knows(const Task& task) const { return anew(task) || is_last(task); }
  /// REQUIRES that it is known.
  PathStateBody get(const Task& task) const;
  /// The worker has made this state: it becomes the one that is known, or none is.
  void keep(std::optional<PathStateBody> newest) { last_ = std::move(newest); }

 private:
  /// Whether it is the prepared start.
  bool anew(const Task& task) const;
  bool is_last(const Task& task) const;

  const RunPlan& plan_;
  std::optional<PathStateBody> last_;
};

}  // namespace dipaco
