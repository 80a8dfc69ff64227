#include "backends/sim/alarms.hpp"

#include <algorithm>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>
#include <utility>

namespace dipaco {

using simgrid::kernel::timer::Timer;

void Alarms::at(Seconds time, std::function<void()> action) {
  if (cancelled_) return;
  simgrid::kernel::actor::simcall_answered([this, time, action = std::move(action)]() mutable {
    const double date = std::max(time.count(), simgrid::s4u::Engine::get_clock());
    const std::uint64_t id = next_++;
    pending_[id] = Timer::set(date, [this, id, action = std::move(action)] {
      pending_.erase(id);
      action();
    });
  });
}

void Alarms::after(Seconds delay, std::function<void()> action) {
  at(Seconds(simgrid::s4u::Engine::get_clock()) + delay, std::move(action));
}

void Alarms::cancel_all() {
  simgrid::kernel::actor::simcall_answered([this] {
    cancelled_ = true;
    for (const auto& [id, timer] : std::exchange(pending_, {})) timer->remove();
  });
}

}  // namespace dipaco
