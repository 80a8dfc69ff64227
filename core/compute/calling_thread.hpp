#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "core/compute/compute.hpp"

namespace dipaco {

/// Computes on the calling thread, by the clock of the run.
class LoopbackCompute : public Compute {
 public:
  /// @param now  the run's clock
  /// @param pay  makes a test's clock pass for so many steps; empty where the clock is the machine's, by which work
  ///             takes its real time
  explicit LoopbackCompute(std::function<Seconds()> now, std::function<void(InnerSteps)> pay = {})
      : now_(std::move(now)), pay_(std::move(pay)) {}

  Seconds now() const override { return now_(); }
  InnerSteps run(InnerSteps steps, Flops /*cost_of_one: it takes what it takes*/, const Work& work,
                 std::optional<Seconds> /*reserve: no notice says when*/) override {
    const InnerSteps done = leaving_ || !stop_ ? work(steps, stop_) : work(std::min(steps, InnerSteps{1}), leaving_);
    if (pay_) pay_(done);
    return done;
  }
  bool leaving() const override { return leaving_; }
  std::optional<Seconds> gone_at() const override { return std::nullopt; }
  /// A preemption notice: from any thread.
  void notice() {
    const std::lock_guard lock(mutex_);
    leaving_ = stop_ = true;
  }
  /// Whether urgent messages wait: from any thread.
  void urgent_mail(bool waits) {
    const std::lock_guard lock(mutex_);
    stop_ = leaving_ || waits;
  }
  /// Whether what runs is to end with the step at hand.
  bool is_stopped() const { return stop_; }

 private:
  std::function<Seconds()> now_;
  std::function<void(InnerSteps)> pay_;
  std::mutex mutex_;
  std::atomic<bool> leaving_{false};
  std::atomic<bool> stop_{false};  ///< leaving, or urgent messages wait
};

}  // namespace dipaco
