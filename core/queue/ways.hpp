#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "core/base/ids.hpp"

namespace dipaco {

/// How long a byte takes from site to site, beside all else that is on its way there: what was measured of large
/// messages. Pure logic.
class Ways {
 public:
  /// @param seconds_a_byte  above 0
  void add(SiteId from, SiteId to, double seconds_a_byte);
  /// The median of the last measurements; nullopt where there is none.
  std::optional<double> seconds_a_byte(SiteId from, SiteId to) const;

 private:
  std::map<std::pair<SiteId, SiteId>, std::deque<double>> measured_;  ///< the newest last; older ones are forgotten
};

}  // namespace dipaco
