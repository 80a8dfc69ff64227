#pragma once

#include <cstdint>

#include "backends/sim/scenario/placement.hpp"

namespace dipaco {

/// Numbers the workers anew, in an order drawn by the seed: of workers that are equally good for a task, the one with
/// the lowest number takes it. Those who stay when others are left out keep their order.
void draw_ties(Placement& placement, std::uint64_t seed);

}  // namespace dipaco
