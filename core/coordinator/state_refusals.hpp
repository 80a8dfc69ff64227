#pragma once

#include <string>

#include "core/coordinator/job_giving.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/state/refusals.hpp"

namespace dipaco {

/// Handles path states that their stores have refused, since a value is not finite: another worker does the task, and a
/// worker that makes one after the other gets nothing more (docs/decisions/0014).
class StateRefusals {
 public:
  StateRefusals(RunState& run, JobGiving& jobs) : run_(run), jobs_(jobs) {}

  /// A store refuses a state: each store of an attempt says so. The attempt's end is its worker's to say, as that of
  /// any other. @throws RunError where no machine makes a finite one
  void refused(const StateRefused& message);
  /// A gradient that the worker was to make again is not finite, which it was at first: a state refused, of a task that
  /// another worker did well.
  void not_finite(NodeId worker, const TaskId& task);
  /// A state of the worker counts.
  void committed(NodeId worker);
  /// Whether the worker gets nothing more.
  bool is_set_aside(NodeId worker) const;
  /// Goes on where the journal ends.
  void restore();

 private:
  std::int32_t count(NodeId worker);
  void set_aside(NodeId worker);
  std::string describe(NodeId worker) const;
  [[noreturn]] void diverged(PathId path) const;

  RunState& run_;
  JobGiving& jobs_;
  Refusals refusals_;
};

}  // namespace dipaco
