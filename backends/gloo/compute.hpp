#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "core/compute/calling_thread.hpp"

namespace dipaco {

/// Computes on the calling thread, or sleeps for what that would take where nothing is learned.
class ProcessCompute : public Compute {
 public:
  /// @param now        the run's clock
  /// @param step_time  of an inner step, of whatever cost; none: work takes what it takes
  ProcessCompute(std::function<Seconds()> now, std::optional<Seconds> step_time)
      : inner_(std::move(now)), step_time_(step_time) {}

  Seconds now() const override { return inner_.now(); }
  InnerSteps run(InnerSteps steps, Flops cost_of_one, const Work& work, std::optional<Seconds> reserve) override {
    if (!step_time_) return inner_.run(steps, cost_of_one, work, reserve);
    InnerSteps done{0};
    auto until = std::chrono::steady_clock::now();
    while (done.value < steps.value && !leaving() && (done.value == 0 || !inner_.is_stopped())) {
      until += std::chrono::duration_cast<std::chrono::nanoseconds>(*step_time_);
      std::this_thread::sleep_until(until);
      ++done.value;
    }
    const std::atomic<bool> never{false};
    return work(done, never);
  }
  bool leaving() const override { return inner_.leaving(); }
  std::optional<Seconds> gone_at() const override { return inner_.gone_at(); }
  /// A preemption notice: from any thread.
  void notice() { inner_.notice(); }
  /// Whether urgent messages wait: from any thread.
  void urgent_mail(bool waits) { inner_.urgent_mail(waits); }

 private:
  LoopbackCompute inner_;
  std::optional<Seconds> step_time_;
};

}  // namespace dipaco
