#pragma once

#include <cstdint>
#include <optional>

#include "core/base/units.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// What inner steps of a configuration took on this machine, on one core.
struct Trial {
  FlopsPerSecond speed;   ///< of a core, while the others had no steps of it
  Bytes memory;           ///< of a path's state and of the work on `rows` rows
  std::int64_t rows = 0;  ///< that each step had
};

/// Measures inner steps of one configuration after another.
class Trials {
 public:
  /// Does inner steps on made-up rows, at most eight of them: one, and then as many as begin within half a second.
  /// @throws ConfigError where there is no LibTorch
  Trial measure(const RunConfig& config);
  /// The same on several cores side by side, as training has it: they share memory's speed, and what else runs.
  /// @returns the mean of a core
  FlopsPerSecond side_by_side(const RunConfig& config, std::int64_t cores) const;

 private:
  std::optional<Bytes> before_;  ///< memory of the program before its first steps
};

}  // namespace dipaco
