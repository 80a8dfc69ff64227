#pragma once

#include <optional>
#include <string>

#include "core/plan/plan.hpp"

namespace dipaco {

/// How often a path's training goes through its shard, by its tokens: the mean over all paths, of the shards that the
/// run began with. REQUIRES that the run learns.
double shard_passes(const RunPlan& plan);

/// What a run that ended above its dense start, or above dense training for as many steps, may have suffered from, and
/// which key helps; nullopt where it ended below both. One sentence or two. REQUIRES that the run learns.
/// @param perplexity  of the run's validation documents, at its end
std::optional<std::string> advice(const RunPlan& plan, double perplexity);

}  // namespace dipaco
