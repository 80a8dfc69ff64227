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
///
/// SimGrid runs through what a platform's own profiles (state_file) do to idle machines and links up to the next timer
/// that it knew before: an alarm that such a change sets would come too late. So while an alarm is pending, time goes
/// in strides: an alarm that a change sets comes at its time if that is at least a stride away.
class Alarms {
 public:
  explicit Alarms(Seconds stride) : stride_(stride) {}
  ~Alarms() = default;
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  using Id = std::uint64_t;

  /// At `time`, or at once where that has passed. From an actor or from another alarm.
  Id at(Seconds time, std::function<void()> action);
  Id after(Seconds delay, std::function<void()> action);
  /// It does not go off; nothing where it has.
  void cancel(Id alarm);
  /// No alarm goes off any more, and none is taken.
  void cancel_all();

 private:
  void step();

  Seconds stride_;
  simgrid::kernel::timer::Timer* step_ = nullptr;
  Id next_ = 0;
  bool cancelled_ = false;
  std::map<Id, simgrid::kernel::timer::Timer*> pending_;
};

/// What was cancelled outside of any actor ends at this time. By itself SimGrid 3.32 looks for it at the next event of
/// the simulation, whenever that is, where it was cancelled at the end of a transfer.
void end_cancelled_now();

}  // namespace dipaco
