#pragma once

#include <cstdint>

#include "core/outer/optimizer.hpp"

namespace dipaco {

struct DelayedNesterovOptions {
  double rate = 0.7;       ///< epsilon
  double momentum = 0.9;   ///< beta
  double between = 0;      ///< c, from 0 to 1/N: share of the momentum in each step, so that c N of it comes early
  std::int64_t delay = 0;  ///< N: steps from one update of the momentum to the next; 0: as many as the part has paths
};

/// Delayed Nesterov, for parts that step at each contribution: the momentum moves only at every N-th, by their mean.
/// Each contribution moves the parameters at once, by an N-th.
///
///   buffer <- buffer + g
///   every N-th step:  velocity <- momentum velocity + buffer / N,  buffer <- 0
///                     params <- params - rate (g / N + (1 - c N + c) momentum velocity)
///   every other:      params <- params - rate (g / N + c momentum velocity)
///
/// A part of one path has N = 1: that is Nesterov momentum. With c = 0, N steps by contributions with one base end
/// where one Nesterov step by their mean does. Source: Asynchronous Local-SGD (2401.09135), Alg. 3; momentum as in its
/// eq. 4, which is nesterov_step's.
class OuterDelayedNesterov : public OuterOptimizer {
 public:
  explicit OuterDelayedNesterov(const DelayedNesterovOptions& options) : options_(options) {}
  std::vector<StateArray> arrays() const override { return {{.name = "velocity"}, {.name = "buffer"}}; }
  /// REQUIRES info.paths above 0.
  void step(const StepInfo& info, std::span<float> parameters, StateArrays state,
            std::span<const float> direction) const override;

 private:
  DelayedNesterovOptions options_;
};

}  // namespace dipaco
