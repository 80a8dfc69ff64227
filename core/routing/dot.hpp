#pragma once

#include <numeric>
#include <span>

namespace dipaco {

/// The sum of the products of a [n] and b [n], first to last.
inline double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace dipaco
