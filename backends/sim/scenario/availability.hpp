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

}  // namespace dipaco
