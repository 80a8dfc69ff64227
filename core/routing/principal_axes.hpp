#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/routing/parts.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// Directions [count, d] at right angles to each other, each of length 1, along which standardised points [n, d] vary
/// most, the one of the largest variance first: orthogonal iteration on their covariance, 100 rounds from the first
/// `count` features. Two directions of nearly equal variance may stay mixed. Where points vary along fewer, the rest
/// are any. No bit depends on `side_by_side`. REQUIRES n > 0 and 0 < count <= width.
std::vector<float> principal_axes(std::span<const float> points, std::size_t width, std::size_t count,
                                  const SideBySide& side_by_side, const Trainer& trainer);

}  // namespace dipaco
