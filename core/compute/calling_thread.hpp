#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "core/compute/compute.hpp"

namespace dipaco {

/// Computes on the calling thread, by the clock of the run.
class LoopbackCompute : public Compute {
 public:
  /// @param now  the run's clock
  /// @param pay  lets it pass for so many steps: of a test's clock. Of the machine's, work takes its real time
  explicit LoopbackCompute(std::function<Seconds()> now, std::function<void(InnerSteps)> pay = {})
      : now_(std::move(now)), pay_(std::move(pay)) {}

  Seconds now() const override { return now_(); }
  InnerSteps run(InnerSteps steps, Flops /*cost_of_one: it takes what it takes*/, const Work& work) override {
    const InnerSteps done = work(steps, leaving_);
    if (pay_) pay_(done);
    return done;
  }
  bool leaving() const override { return leaving_; }
  /// A preemption notice: from any thread.
  void notice() { leaving_ = true; }

 private:
  std::function<Seconds()> now_;
  std::function<void(InnerSteps)> pay_;
  std::atomic<bool> leaving_{false};
};

}  // namespace dipaco
