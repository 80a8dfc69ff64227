#pragma once

#include <optional>

#include "core/nn/device.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The length of `gradient` [n], a float where it lies. Waits for no GPU.
at::Tensor norm_of(const at::Tensor& gradient);

/// Clipping by the gradient's norm and AdamW on one flat vector (Alg. 1 l.8): decoupled weight decay, bias correction.
/// Choice: every parameter decays, the norms too, as torch.optim.AdamW does unless told otherwise.
class AdamW {
 public:
  /// Copies `state`'s moments.
  AdamW(const InnerOptions& options, const TrainState& state, const Place& place);

  /// Step `step`, 0-based, on `parameters` [n]. `gradient` [n] is clipped in place. Returns its norm, a float where it
  /// lies: where that is not finite, nothing of use is left. Waits for no GPU.
  at::Tensor step(const at::Tensor& parameters, const at::Tensor& gradient, InnerSteps step, double learning_rate);

  const at::Tensor& first_moment() const { return first_moment_; }
  const at::Tensor& second_moment() const { return second_moment_; }

 private:
  /// What the gradient is divided by; nullopt: it is short enough. On a GPU always a number, as nothing waits for it.
  std::optional<at::Tensor> divisor(const at::Tensor& norm) const;

  InnerOptions options_;
  at::Tensor first_moment_;
  at::Tensor second_moment_;
};

}  // namespace dipaco
