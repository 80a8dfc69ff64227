#pragma once

#include "core/preflight/measures.hpp"

namespace dipaco::testing {

/// east-0 (coordinator, store, executor) and east-1 (worker, 50 ms a step) at 10 Gbit/s and 0.1 ms, west-0 (worker) at
/// 100 Mbit/s out of there, 200 Mbit/s into it, and 20 ms.
NetworkMeasures two_sites();

/// One process at each of a, b and c: 80 Mbit/s between any two, of a 80 Mbit/s out and 120 Mbit/s in with both others
/// at once, of the others 160 Mbit/s.
NetworkMeasures three_sites();

}  // namespace dipaco::testing
