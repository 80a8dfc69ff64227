#pragma once

#include <span>

#include "core/transport/messages.hpp"

namespace dipaco {

/// Whether none is infinite or not a number. One pass, vectorised.
bool all_finite(std::span<const float> values);

/// The same of all that a path state has: parameters, moments, velocity and loss. Of the loss alone where nothing is
/// learned. A store refuses one of which it does not hold.
bool all_finite(const PathStateBody& state);

}  // namespace dipaco
