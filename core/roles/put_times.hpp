#pragma once

#include <deque>
#include <optional>

#include "core/base/units.hpp"

namespace dipaco {

/// How long a worker's last puts of path states took, and so how long one more may take. No bandwidth is assumed. Pure
/// logic.
class PutTimes {
 public:
  /// Of a put like the fastest and the slowest of the last ones, for its bytes.
  struct Range {
    Seconds shortest{};
    Seconds longest{};
  };

  /// All stores had a state of `size` on the wire after `took`. REQUIRES that size is not 0
  void add(Bytes size, Seconds took);
  /// Of a state of `size`; nullopt where nothing is measured.
  std::optional<Range> of(Bytes size) const;

 private:
  std::deque<double> seconds_a_byte_;  ///< the newest last; older ones are forgotten
};

}  // namespace dipaco
