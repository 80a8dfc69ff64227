#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "backends/sim/timeline/availability.hpp"
#include "backends/sim/timeline/time_law.hpp"
#include "core/base/random.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// A stretch of time in which a machine is there; for ever where `until` is not given.
struct UpTime {
  Seconds from{};
  std::optional<Seconds> until;
};

/// When machine `machine` (from 0) is there: while more than `machine` are available.
std::vector<UpTime> up_times(const std::vector<AvailabilityStep>& steps, std::int64_t machine);

/// The same, one after the other. With a period, the steps begin again after it, for ever.
class TracedUpTimes {
 public:
  /// REQUIRES: steps begin at 0. Those from the period on do not count.
  TracedUpTimes(const std::vector<AvailabilityStep>& steps, std::optional<Seconds> period, std::int64_t machine);

  /// nullopt: it never comes back.
  std::optional<UpTime> next();

 private:
  std::vector<UpTime> times_;      ///< of one period, or of all time
  std::optional<Seconds> period_;  ///< none where the machine is there or away for ever
  std::size_t next_ = 0;
};

/// Times for which machines are there and away, in turn. They are there at 0.
struct DrawnTimes {
  TimeLaw there;
  TimeLaw away;
  Draw what{};               ///< of the draws
  std::uint64_t number = 0;  ///< of the machine or the zone, for its draws
};

/// Up time `number` (from 0): its draws are functions of seed, kind, machine and number alone.
/// @param previous_end  of up time number - 1; 0 for the first, which begins at once
UpTime drawn_up_time(const DrawnTimes& times, std::uint64_t seed, std::uint64_t number, Seconds previous_end);

}  // namespace dipaco
