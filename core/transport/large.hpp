#pragma once

#include "core/base/units.hpp"

namespace dipaco {

/// Messages up to here pass larger ones on their way from one node to another. Larger ones go one after the other, so
/// that the first is there, and can be worked with, while the next is on its way. Whatever passes what, messages of a
/// pair of nodes are delivered in the order in which they were sent (Transport::send).
inline constexpr Bytes kLargestSmall{64 * 1024};

}  // namespace dipaco
