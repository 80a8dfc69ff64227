#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/units.hpp"

namespace dipaco {

/// How long something takes: always the same, or drawn.
struct TimeLaw {
  enum class Kind : std::uint8_t { fixed, exponential, weibull };
  Kind kind = Kind::fixed;
  Seconds scale{};   ///< the time itself, the mean, or the time by which 1 - 1/e = 63 % are over
  double shape = 1;  ///< of a Weibull: below 1 short times are frequent, above 1 all are alike; 1 is exponential

  bool operator==(const TimeLaw&) const = default;
};

/// "5min" (always), "exponential 6h" (the mean), "weibull 10h 0.7" (scale and shape).
/// @throws std::invalid_argument saying what is wrong and what to write; the caller knows where it was written
TimeLaw parse_time_law(std::string_view text);

/// The time at which a share `uniform` (in [0, 1)) of all times are over: scale x (-ln(1 - uniform))^(1 / shape).
Seconds drawn(const TimeLaw& law, double uniform);

}  // namespace dipaco
