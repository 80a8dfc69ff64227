#pragma once

#include "core/nn/device.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// Clipping by the gradient's norm and AdamW on one flat vector (Alg. 1 l.8): decoupled weight decay, bias correction.
/// Choice: every parameter decays, the norms too, as torch.optim.AdamW does unless told otherwise.
class AdamW {
 public:
  /// Copies `state`'s moments.
  AdamW(const InnerOptions& options, const TrainState& state, const Place& place);

  /// Step `step`, 0-based, on `parameters` [n]. `gradient` [n] is clipped in place.
  /// Returns false, with nothing changed, where the gradient is not finite.
  bool step(const at::Tensor& parameters, const at::Tensor& gradient, InnerSteps step, double learning_rate);

  const at::Tensor& first_moment() const { return first_moment_; }
  const at::Tensor& second_moment() const { return second_moment_; }

 private:
  InnerOptions options_;
  at::Tensor first_moment_;
  at::Tensor second_moment_;
};

}  // namespace dipaco
