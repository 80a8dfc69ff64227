#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace dipaco {

/// How fast a stage of a program is, from when it was first told of it.
class StageRate {
 public:
  using Clock = std::chrono::steady_clock;

  /// "310 a second": what was done since the stage began. Empty in its first second.
  std::string text(std::string_view stage, std::int64_t done, Clock::time_point now = Clock::now());

 private:
  std::string stage_;
  std::int64_t first_done_ = 0;
  Clock::time_point began_{};
};

}  // namespace dipaco
