#pragma once

#include "core/base/ids.hpp"

namespace dipaco::testing {

inline constexpr SiteId kEast{0};
inline constexpr SiteId kWest{1};
inline constexpr SiteId kNorth{2};

}  // namespace dipaco::testing
