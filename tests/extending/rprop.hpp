#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/error.hpp"
#include "core/outer/optimizer.hpp"

namespace dipaco {

/// Rprop as outer optimizer: each parameter has a step size, which grows while the sign of its direction stays the
/// same, and shrinks where it changes. Two state arrays.
class OuterRprop : public OuterOptimizer {
 public:
  /// @param first  the step size that each parameter begins with
  explicit OuterRprop(double first) : first_(static_cast<float>(first)) {}

  std::vector<StateArray> arrays() const override { return {{.name = "direction"}, {.name = "size"}}; }

  void step(const StepInfo& /*info*/, std::span<float> parameters, StateArrays state,
            std::span<const float> direction) const override {
    check(state.size() == 2 && direction.size() == parameters.size(), "a module's arrays are of one length");
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      float& before = state[0][k];
      float& size = state[1][k];
      const float agrees = before * direction[k];
      if (size == 0) size = first_;
      if (agrees > 0) size = std::min(size * 1.25F, 1.0F);
      if (agrees < 0) size *= 0.5F;
      if (direction[k] != 0) parameters[k] -= std::copysign(size, direction[k]);
      before = direction[k];
    }
  }

 private:
  float first_;
};

}  // namespace dipaco
