#pragma once

#include <cstdint>

#include "core/base/units.hpp"
#include "core/queue/exchange_times.hpp"
#include "core/queue/fleet.hpp"

namespace dipaco {

/// An outer step that all workers begin free.
struct ForeseenStep {
  Seconds end{};
  ExchangeTimes::TasksAt tasks;
};

/// When it ends, with the owners that the exchange has: each task goes to who is through with it first, and what it
/// gives is at its owner. Pure.
///
/// The more tasks a site does, the longer takes what it gives. Where no lines are known, that takes no time.
/// REQUIRES a worker.
ForeseenStep foresee_step(const Fleet& fleet, const ExchangeTimes& exchange, std::int32_t paths);

}  // namespace dipaco
