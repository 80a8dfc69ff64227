#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/sim/scenario/placement.hpp"
#include "core/base/units.hpp"
#include "core/report/accounts/intervals.hpp"

namespace simgrid::s4u {
class Host;
}

namespace dipaco {

/// When hosts were on, by their names.
using HostTimes = std::map<std::string, std::vector<Interval>>;

/// Writes down when the hosts of a placement go on and off, whatever switches them.
class HostWatch {
 public:
  /// From now on; hosts that are on are on since 0.
  explicit HostWatch(const Placement& placement);

  /// The host has gone on or off. To be told of each such change.
  void changed(const simgrid::s4u::Host& host);
  /// What was seen; hosts that are on are on until `end`.
  HostTimes until(Seconds end) const;

 private:
  HostTimes past_;                           ///< stretches that are over; all hosts of the placement are in it
  std::map<std::string, Seconds> on_since_;  ///< hosts that are on
};

}  // namespace dipaco
