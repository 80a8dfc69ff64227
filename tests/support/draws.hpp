#pragma once

#include <cstdint>

#include "core/base/random.hpp"

namespace dipaco::testing {

/// Draws in a row: the same seed gives the same row.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  /// Uniform in 0 ... bound - 1.
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(draw_below(static_cast<std::uint64_t>(bound), seed_, Draw::jitter, next_++));
  }
  /// True once in so many times.
  bool once_in(std::int32_t times) { return below(times) == 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

}  // namespace dipaco::testing
