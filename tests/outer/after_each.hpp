#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/outer/optimizer.hpp"

namespace dipaco::testing {

/// A part of one parameter, which begins with 0: what it is after each of the contributions, its state arrays from 0.
inline std::vector<double> after_each(const OuterOptimizer& optimizer, const std::vector<float>& contributions,
                                      std::int32_t paths) {
  std::vector<float> parameter{0};
  std::vector<std::vector<float>> arrays(optimizer.arrays().size(), std::vector<float>{0});
  const std::vector<std::span<float>> state(arrays.begin(), arrays.end());
  std::vector<double> all;
  for (const float g : contributions) {
    const auto version = static_cast<std::int32_t>(all.size());
    optimizer.step({.version = Version{version}, .paths = paths}, parameter, state, std::vector<float>{g});
    all.push_back(parameter[0]);
  }
  return all;
}

}  // namespace dipaco::testing
