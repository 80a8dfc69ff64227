#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "core/base/units.hpp"

namespace simgrid::kernel::timer {
class Timer;
}

namespace dipaco {

/// Calls functions at simulated times, outside of any actor. A pending alarm keeps the simulation going.
class Alarms {
 public:
  Alarms() = default;
  ~Alarms() = default;
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  /// At `time`, or at once where that has passed. From an actor or from another alarm.
  void at(Seconds time, std::function<void()> action);
  void after(Seconds delay, std::function<void()> action);
  /// No alarm goes off any more, and none is taken.
  void cancel_all();

 private:
  std::uint64_t next_ = 0;
  bool cancelled_ = false;
  std::map<std::uint64_t, simgrid::kernel::timer::Timer*> pending_;
};

}  // namespace dipaco
