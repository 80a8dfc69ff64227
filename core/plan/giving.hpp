#pragma once

#include "core/base/ids.hpp"
#include "core/plan/plan.hpp"

namespace dipaco {

// Dropped outer gradients (DiLoCo, 2311.08105, Fig. 8): with probability outer.drop a path gives nothing after an outer
// step, and trains on from its own parameters. All of this follows from the run file; of policies without rounds
// nothing is dropped (docs/decisions/0033).

/// Whether the path gives to the step of its modules at this outer step: it trains, and is not dropped.
bool gives(const RunPlan& plan, PathId path, OuterStep outer_step);
/// The first outer step from this one on at which the path gives; that behind the last where there is none.
OuterStep next_given(const RunPlan& plan, PathId path, OuterStep outer_step);
/// What the path has given once its state has this version: at outer steps before the returned one.
OuterStep given_before(const RunPlan& plan, PathId path, std::int32_t version);
/// Whether the path's task at this outer step begins with the path's own parameters, as it has trained at the outer
/// step before and was dropped. REQUIRES, as the next, that it trains at this outer step.
bool trains_on(const RunPlan& plan, PathId path, OuterStep outer_step);
/// Whether the task begins with its modules or gives to them; without rounds all do.
bool needs_modules(const RunPlan& plan, const TaskId& task);
/// The version of its modules that the task needs: the outer step's own, where the task begins with it or gives to it;
/// else the one with which the path has begun last.
Version base_of(const RunPlan& plan, PathId path, OuterStep outer_step);
/// How often the path gives at outer steps before this one.
std::int32_t times_given(const RunPlan& plan, PathId path, OuterStep outer_step);
/// Whether a path that begins with this version, and gives nothing to it, may not have begun yet while the newest is
/// `newest`.
bool is_base(const RunPlan& plan, PathId path, Version version, Version newest);

}  // namespace dipaco
