#pragma once

#include <algorithm>

#include "core/base/units.hpp"
#include "core/compute/compute.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// How long an answer of `size` bytes may take before it is asked for again: far above what a network that works
/// needs (10 Mbit/s and six liveness limits), so that nobody wakes while nothing is late.
inline Seconds answer_deadline(const LivenessOptions& liveness, Bytes size) {
  constexpr double kSlowest = 1.25e6;  // bytes a second
  return 6 * liveness.limit + Seconds(static_cast<double>(size.value) / kSlowest);
}

/// How long the coordinator waits for a node that was given something to do: so many times what the computation should
/// take, and moving what it takes and makes, that only what is stuck outlives it.
/// @param speed  floating-point operations a second; 0: not known
inline Seconds lease_of(const LivenessOptions& liveness, Flops cost, double speed, Bytes moved) {
  constexpr double kFactor = 10.0;
  const Seconds expected(speed > 0 ? cost.value / speed : 3600.0);
  return kFactor * expected + answer_deadline(liveness, moved);
}

/// When to ask (again) for what a node waits for: at once, one liveness period after it was found that something is not
/// on its way, and at the answer's deadline.
class Asking {
 public:
  /// @param size  of the answer
  Asking(const Compute& clock, const LivenessOptions& liveness, Bytes size)
      : clock_(clock), period_(liveness.period), late_(answer_deadline(liveness, size)) {}

  /// Whether to ask now, and if so, notes that it was done.
  bool due(bool unasked) {
    const Seconds now = clock_.now();
    overdue_ = begun_ && now >= all_asked_at_ + late_;
    if (begun_ && !overdue_ && now < next(unasked)) return false;
    if (overdue_ || !begun_) all_asked_at_ = now;
    asked_at_ = now;
    begun_ = true;
    return true;
  }
  /// After due() was true: all answers are late, so that what was asked counts as lost.
  bool overdue() const { return overdue_; }
  /// How long to wait for messages. REQUIRES that due() was called.
  Seconds wait(bool unasked) const { return std::max(next(unasked) - clock_.now(), Seconds(0)); }

 private:
  Seconds next(bool unasked) const {
    const Seconds late = all_asked_at_ + late_;
    return unasked ? std::min(asked_at_ + period_, late) : late;
  }

  const Compute& clock_;
  Seconds period_;
  Seconds late_;
  bool begun_ = false;
  Seconds asked_at_{};
  Seconds all_asked_at_{};
  bool overdue_ = false;
};

}  // namespace dipaco
