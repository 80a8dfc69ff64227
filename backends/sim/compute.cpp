#include "backends/sim/compute.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/sim/engine/alarms.hpp"

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
  if (urgent_) steps = InnerSteps{1};
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
  // It was cut. What the pool has done may be more or less than that: the kept steps are done anew.
  if (running_.kept->value == 0) return InnerSteps{0};
  PooledWork real(pool_, work, *running_.kept, interrupted_);
  pay(running_.rest);
  return real.join();
}

void SimCompute::pay(double operations) {
  for (std::optional<double> due = operations; due; due = std::exchange(running_.left, std::nullopt)) {
    running_.charge = sg::this_actor::exec_init(*due);
    try {
      running_.charge->start();
      running_.charge->wait();
    } catch (const simgrid::CancelException&) {
      // freeze() or cut() has taken the account.
    }
    running_.charge = nullptr;
    hold_();
  }
}

// Not by suspend() and resume(): in SimGrid 3.32 an execution that stands still while another host goes off or comes
// back may never go on.
void SimCompute::freeze() {
  if (!is_paying()) return;
  running_.left = std::max(running_.charge->get_remaining(), 0.0);
  running_.charge->cancel();
}

bool SimCompute::is_paying() const {
  return running_.charge != nullptr && running_.charge->get_state() == sg::Activity::State::STARTED;
}

void SimCompute::notice() {
  if (leaving_) return;
  leaving_ = true;
  cut();
}

void SimCompute::urgent_mail(bool waits) {
  urgent_ = waits;
  if (waits) cut();
}

void SimCompute::cut() {
  if ((!is_paying() && !running_.left) || running_.kept) return;
  const double remaining = running_.left ? *running_.left : running_.charge->get_remaining();
  const KeptSteps kept = kept_steps(running_.steps, running_.step, remaining);
  running_.kept = kept.steps;
  running_.rest = kept.rest;
  if (std::exchange(running_.left, std::nullopt)) return;
  running_.charge->cancel();
  end_cancelled_now();
}

}  // namespace dipaco
