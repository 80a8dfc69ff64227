#pragma once

#include "core/coordinator/known/run_state.hpp"
#include "core/plan/giving.hpp"

namespace dipaco {

/// In rounds the path's task needs the versions that the run file says, whichever are the newest.
inline void set_base(RunState& run, PathId id) {
  if (!run.plan.policy.rounds) return;
  PathEntry& path = run.queue.path(id);
  for (BaseVersion& part : path.base) part.version = base_of(run.plan, id, path.outer_step);
}

/// What the path's committed tasks give: contributions of outer steps before this one.
inline OuterStep given_before(const RunState& run, PathId path) {
  return given_before(run.plan, path, run.queue.path(path).version);
}

}  // namespace dipaco
