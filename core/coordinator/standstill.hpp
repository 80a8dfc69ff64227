#pragma once

#include "core/coordinator/diagnosis.hpp"
#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Ends a run that stands still: nothing was committed for liveness.deadline. It asks all nodes, twice before the
/// deadline: where a transfer lasts from one answer to the next, and has moved, a link is slow, and that is progress.
/// Other movement is none: a task that lacks what nobody has is given out again and again.
class Standstill {
 public:
  Standstill(RunState& run, const Diagnosis& diagnosis) : run_(run), diagnosis_(diagnosis) {}

  /// When look() has something to do, unless there is progress before.
  Seconds due() const;
  /// Asks, or concludes, where it is time. @throws RunError with status 4
  void look();

 private:
  int asked() const { return run_.progress_at == since_ ? asked_ : 0; }

  RunState& run_;
  const Diagnosis& diagnosis_;
  Seconds since_{};  ///< of the progress after which it has asked
  int asked_ = 0;    ///< how often
};

}  // namespace dipaco
