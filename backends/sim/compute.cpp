#include "backends/sim/compute.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dipaco {

namespace sg = simgrid::s4u;

KeptSteps kept_steps(InnerSteps steps, double step, double remaining) {
  constexpr double kRounding = 1e-6;  // of a step: the simulator's own sums are not exact
  if (step <= 0) return {steps, 0};
  const double done = static_cast<double>(steps.value) - std::max(remaining, 0.0) / step;
  const double kept = std::clamp(std::ceil(done - kRounding), 0.0, static_cast<double>(steps.value));
  return {InnerSteps{static_cast<std::int64_t>(kept)}, std::max(kept - done, 0.0) * step};
}

SimCompute::SimCompute(sg::Host& host, FlopsPerSecond speed, ThreadPool* pool, const std::atomic<bool>& interrupted,
                       std::function<void()> hold)
    : host_(host), speed_(speed), pool_(pool), interrupted_(interrupted), hold_(std::move(hold)) {}

InnerSteps SimCompute::run(InnerSteps steps, Flops cost_of_one, const Work& work) {
  hold_();
  if (leaving_ || steps.value <= 0) return InnerSteps{0};
  // One execution runs on one core: what all cores at their mfu do in a second, it must be charged in a second.
  const double share = speed_.value / host_.get_speed();
  {
    PooledWork real(pool_, work, steps, interrupted_);
    running_ = {.charge = nullptr, .step = cost_of_one.value / share, .steps = steps, .kept = {}};
    pay(running_.step * static_cast<double>(steps.value));
    if (!running_.kept || *running_.kept == steps) {
      if (running_.kept) pay(running_.rest);
      return real.join();
    }
  }
  // A notice came. What the pool has done may be more or less than that: the kept steps are done anew.
  if (running_.kept->value == 0) return InnerSteps{0};
  PooledWork real(pool_, work, *running_.kept, interrupted_);
  pay(running_.rest);
  return real.join();
}

void SimCompute::pay(double operations) {
  const sg::ExecPtr charge = sg::this_actor::exec_init(operations);
  running_.charge = charge;
  try {
    charge->start();
    charge->wait();
  } catch (const simgrid::CancelException&) {
    // notice() has taken the account.
  }
  running_.charge = nullptr;
  hold_();
}

void SimCompute::freeze() {
  if (running_.charge != nullptr) running_.charge->suspend();
}

void SimCompute::thaw() {
  if (running_.charge != nullptr && running_.charge->get_state() == sg::Activity::State::STARTED) {
    running_.charge->resume();
  }
}

void SimCompute::notice() {
  if (leaving_) return;
  leaving_ = true;
  if (running_.charge == nullptr || running_.kept) return;
  const KeptSteps kept = kept_steps(running_.steps, running_.step, running_.charge->get_remaining());
  running_.kept = kept.steps;
  running_.rest = kept.rest;
  running_.charge->cancel();
}

}  // namespace dipaco
