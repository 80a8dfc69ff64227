#pragma once

#include <algorithm>

#include "core/base/units.hpp"
#include "core/compute/compute.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// When to ask for what a node waits for: at once, and one liveness period after it was found that something is not on
/// its way. Never because it takes long: a transport delivers what was sent or says that a peer is lost, and what is
/// slow gets slower when it is sent twice.
class Asking {
 public:
  Asking(const Compute& clock, const LivenessOptions& liveness) : clock_(clock), period_(liveness.period) {}

  /// Whether to ask now, and if so, notes that it was done.
  bool due(bool unasked) {
    const Seconds now = clock_.now();
    if (begun_ && (!unasked || now < asked_at_ + period_)) return false;
    asked_at_ = now;
    begun_ = true;
    return true;
  }
  /// How long to wait for messages; below 0: until one comes. REQUIRES that due() was called.
  Seconds wait(bool unasked) const {
    return unasked ? std::max(asked_at_ + period_ - clock_.now(), Seconds(0)) : Seconds(-1);
  }

 private:
  const Compute& clock_;
  Seconds period_;
  bool begun_ = false;
  Seconds asked_at_{};
};

}  // namespace dipaco
