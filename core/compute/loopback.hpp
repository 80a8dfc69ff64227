#pragma once

#include <atomic>
#include <chrono>

#include "core/compute/compute.hpp"

namespace dipaco {

/// Computes on the calling thread; its clock is the machine's, or a test's.
class LoopbackCompute : public Compute {
 public:
  explicit LoopbackCompute(std::chrono::steady_clock::time_point start) : start_(start) {}

  Seconds now() const override { return std::chrono::steady_clock::now() - start_; }
  InnerSteps run(InnerSteps steps, Flops /*cost_of_one: real work takes its real time*/, const Work& work) override {
    return work(steps, leaving_);
  }
  bool leaving() const override { return leaving_; }
  /// A preemption notice: from any thread.
  void notice() { leaving_ = true; }

 private:
  std::chrono::steady_clock::time_point start_;
  std::atomic<bool> leaving_{false};
};

}  // namespace dipaco
