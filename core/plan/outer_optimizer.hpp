#pragma once

#include <memory>

#include "core/base/units.hpp"
#include "core/config/run_config.hpp"
#include "core/outer/optimizer.hpp"
#include "core/outer/policies.hpp"

namespace dipaco {

/// The optimizer that outer.optimizer names. With a policy that exchanges gradients it is AdamW with the keys of
/// [inner], whose schedule and moments go on from the dense start's.
/// @param start  inner steps of the dense start; 0 where nothing is learned
std::unique_ptr<const OuterOptimizer> make_outer_optimizer(const RunConfig& config, const SyncPolicy& policy,
                                                           InnerSteps start);

}  // namespace dipaco
