#pragma once

#include <map>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// How fast large messages come to this node, by who sends them: what a path's state would take on the same way.
class ArrivalTimes {
 public:
  void note(const Envelope& envelope);
  /// Of all that has come since this was called last: each sender's seconds for all of its bytes.
  std::vector<MeasuredWay> take();

 private:
  struct Sum {
    Seconds took{};
    double bytes = 0;
  };
  std::map<NodeId, Sum> from_;
};

}  // namespace dipaco
