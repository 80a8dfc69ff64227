#include "backends/sim/engine/alarms.hpp"

#include <algorithm>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>
#include <utility>

namespace dipaco {

using simgrid::kernel::timer::Timer;

Alarms::Id Alarms::at(Seconds time, std::function<void()> action) {
  const Id id = next_++;
  if (cancelled_) return id;
  simgrid::kernel::actor::simcall_answered([this, time, id, action = std::move(action)]() mutable {
    const double date = std::max(time.count(), simgrid::s4u::Engine::get_clock());
    pending_[id] = Timer::set(date, [this, id, action = std::move(action)] {
      pending_.erase(id);
      action();
    });
    if (step_ == nullptr) step();
  });
  return id;
}

void Alarms::step() {
  step_ = Timer::set(simgrid::s4u::Engine::get_clock() + stride_.count(), [this] {
    step_ = nullptr;
    if (!pending_.empty()) step();
  });
}

Alarms::Id Alarms::after(Seconds delay, std::function<void()> action) {
  return at(Seconds(simgrid::s4u::Engine::get_clock()) + delay, std::move(action));
}

void Alarms::cancel(Id alarm) {
  simgrid::kernel::actor::simcall_answered([this, alarm] {
    const auto timer = pending_.extract(alarm);
    if (!timer.empty()) timer.mapped()->remove();
  });
}

void Alarms::cancel_all() {
  simgrid::kernel::actor::simcall_answered([this] {
    cancelled_ = true;
    if (step_ != nullptr) std::exchange(step_, nullptr)->remove();
    for (const auto& [id, timer] : std::exchange(pending_, {})) timer->remove();
  });
}

void end_cancelled_now() {
  simgrid::kernel::actor::simcall_answered([] { Timer::set(simgrid::s4u::Engine::get_clock(), [] {}); });
}

}  // namespace dipaco
