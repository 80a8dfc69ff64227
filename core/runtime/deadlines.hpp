#pragma once

#include <algorithm>

#include "core/base/units.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// How long an answer of `size` bytes may take before it is asked for again: far above what a network that works
/// needs (10 Mbit/s and six liveness limits), so that nobody wakes while nothing is late.
inline Seconds answer_deadline(const LivenessOptions& liveness, Bytes size) {
  constexpr double kSlowest = 1.25e6;  // bytes a second
  return 6 * liveness.limit + Seconds(static_cast<double>(size.value) / kSlowest);
}

}  // namespace dipaco
