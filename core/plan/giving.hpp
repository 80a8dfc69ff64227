#pragma once

#include "core/base/ids.hpp"
#include "core/plan/plan.hpp"

namespace dipaco {

// Dropped outer gradients (DiLoCo, 2311.08105, Fig. 8): with probability outer.drop a path gives nothing after an outer
// step, and trains on from its own parameters. What it gives later counts from the version that it had last. All of
// this follows from the run file; of policies without rounds nothing is dropped (docs/decisions/0033).

/// Whether the path gives to the step of its modules at this outer step: it trains, and is not dropped.
bool gives(const RunPlan& plan, PathId path, OuterStep outer_step);
/// The first outer step from this one on at which the path gives; that behind the last where there is none.
OuterStep next_given(const RunPlan& plan, PathId path, OuterStep outer_step);
/// What the path has given once its state has this version: at outer steps before the returned one.
OuterStep given_before(const RunPlan& plan, PathId path, std::int32_t version);
/// The version of its modules that the path's task at this outer step goes on from: the outer step's own, or an earlier
/// one where the path was dropped since. REQUIRES that it trains at this outer step.
Version base_of(const RunPlan& plan, PathId path, OuterStep outer_step);
/// Whether a path that has begun with this version has given nothing since, in steps before `newest`.
bool is_base(const RunPlan& plan, PathId path, Version version, Version newest);

}  // namespace dipaco
