#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// From `time` on, so many machines are available.
struct AvailabilityStep {
  Seconds time{};
  std::int64_t machines = 0;
};

/// Reads a preemption CSV: a header `time_s,available`, then a row a change; lines that start with `#` are comments.
/// Times start at 0, in seconds of the run's clock, and rise; the last row holds for ever.
/// @throws DataError naming file, line, value and remedy: another header, an empty cell, text in a number, a time that
///         does not rise, no rows
std::vector<AvailabilityStep> read_availability(const std::filesystem::path& csv);

/// Each time and each count multiplied; counts become the nearest whole number, halves the one above.
std::vector<AvailabilityStep> scaled(std::vector<AvailabilityStep> steps, double time, double machines);

/// The steps of a run that begins at `offset` of a trace. With `repeat` the trace, whose length is its last step's
/// time, begins again at its end: what lies before the offset follows then, up to that length. REQUIRES: steps are not
/// empty, 0 <= offset < the last step's time (or 0).
std::vector<AvailabilityStep> begun_at(const std::vector<AvailabilityStep>& steps, Seconds offset, bool repeat);

}  // namespace dipaco
