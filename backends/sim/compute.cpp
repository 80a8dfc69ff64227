#include "backends/sim/compute.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/sim/engine/alarms.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

KeptSteps kept_steps(InnerSteps steps, double step, double remaining, double more) {
  constexpr double kRounding = 1e-6;  // of a step: the simulator's own sums are not exact
  if (step <= 0) return {steps, 0};
  const double done = static_cast<double>(steps.value) - std::max(remaining, 0.0) / step;
  const double last = std::max(std::ceil(done - kRounding), std::floor(done + more - kRounding));
  const double kept = std::clamp(last, 0.0, static_cast<double>(steps.value));
  return {InnerSteps{static_cast<std::int64_t>(kept)}, std::max(kept - done, 0.0) * step};
}

SimCompute::SimCompute(sg::Host& host, FlopsPerSecond speed, ThreadPool* pool, const std::atomic<bool>& interrupted,
                       Hooks hooks)
    : host_(host), speed_(speed), pool_(pool), interrupted_(interrupted), hooks_(std::move(hooks)) {}

InnerSteps SimCompute::run(InnerSteps steps, Flops cost_of_one, const Work& work, std::optional<Seconds> reserve) {
  hooks_.hold();
  if (leaving() || steps.value <= 0) return InnerSteps{0};
  if (urgent_) steps = InnerSteps{1};
  // One execution runs on one core: what all cores at their mfu do in a second, it must be charged in a second.
  const double share = speed_.value / host_.get_speed();
  const double step = hooks_.slowdown() * cost_of_one.value / share;
  running_ = {.charge = nullptr,
              .step = step,
              .steps = steps,
              .due = step * static_cast<double>(steps.value),
              .reserve = reserve};
  while (running_.steps.value > 0) {
    const InnerSteps planned = running_.steps;
    PooledWork real(pool_, work, planned, interrupted_);
    while (running_.due && running_.steps == planned) pay();
    if (running_.steps == planned) return real.join();
    // It was cut. What the pool has done may be more or less than that: the kept steps are done anew.
  }
  running_.due.reset();
  return InnerSteps{0};
}

void SimCompute::pay() {
  running_.charge = sg::this_actor::exec_init(*std::exchange(running_.due, std::nullopt));
  try {
    running_.charge->start();
    running_.charge->wait();
  } catch (const simgrid::CancelException&) {
    // freeze() or cut() has taken the account.
  }
  running_.charge = nullptr;
  hooks_.hold();
  if (leaving() && running_.due) cut();  // time may have passed in which nothing was done
}

// Not by suspend() and resume(): in SimGrid 3.32 an execution that stands still while another host goes off or comes
// back may never go on.
void SimCompute::freeze() {
  if (!is_paying()) return;
  running_.due = std::max(running_.charge->get_remaining(), 0.0);
  running_.charge->cancel();
}

bool SimCompute::is_paying() const {
  return running_.charge != nullptr && running_.charge->get_state() == sg::Activity::State::STARTED;
}

void SimCompute::notice(Seconds gone_at) {
  if (leaving()) return;
  gone_at_ = gone_at;
  cut();
}

void SimCompute::urgent_mail(bool waits) {
  urgent_ = waits;
  if (waits) cut();
}

void SimCompute::cut() {
  if (!is_paying() && !running_.due) return;
  const double remaining = running_.due ? *running_.due : running_.charge->get_remaining();
  const KeptSteps kept = kept_steps(running_.steps, running_.step, remaining, steps_in_time());
  running_.steps = kept.steps;
  running_.due = kept.rest;
  if (!is_paying()) return;
  running_.charge->cancel();
  end_cancelled_now();
}

/// How many steps could be done from now on, parts included, for the reserve to be left; 0 where none may begin.
double SimCompute::steps_in_time() const {
  if (!gone_at_ || !running_.reserve || urgent_ || running_.step <= 0) return 0;
  const Seconds left = *gone_at_ - now() - *running_.reserve;
  return left.count() * host_.get_speed() * host_.get_available_speed() / running_.step;
}

}  // namespace dipaco
