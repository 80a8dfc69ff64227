#pragma once

#include "core/base/units.hpp"
#include "core/trainer/options.hpp"

namespace dipaco {

/// The inner learning rate of step `step` (0-based, from the start of pretraining): linear warmup, then one cosine that
/// ends at `total`. Choice: one cosine spans pretraining and DiPaCo, without re-warming (§4 says 88,000 steps, cosine).
double learning_rate_at(const InnerOptions& options, InnerSteps step, InnerSteps total);

}  // namespace dipaco
