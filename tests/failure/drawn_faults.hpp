#pragma once

#include <cstdint>
#include <string>

#include "core/faults/fault_plan.hpp"
#include "core/plan/plan.hpp"

namespace dipaco::testing {

/// How many nodes a plan may strike, and what a run of them is like.
struct FaultSpace {
  int workers = 3;
  int executors = 2;
  int stores = 2;
  int evaluators = 0;
  std::int32_t paths = 4;
  std::int32_t outer_steps = 6;
  Seconds duration{1};  ///< of an undisturbed run
  Seconds limit{3};     ///< liveness.limit
};

/// A third as many faults as the run has tasks, of all kinds: functions of the seed alone.
FaultPlan draw_faults(std::uint64_t seed, const FaultSpace& space);

/// Whether the plan may make an end impossible: the coordinator, or all of a role, are killed for good; or a store is,
/// and the other one is disturbed, too, or the coordinator has been away for so long that it took the other one for
/// lost and had a state put to one store only; or an executor is, and a store is disturbed: what was on two machines
/// may then be on none.
bool may_be_impossible(const FaultPlan& plan, const FaultSpace& space);

/// As a run file has it, for messages.
std::string describe(const FaultPlan& plan);

}  // namespace dipaco::testing
