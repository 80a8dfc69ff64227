#pragma once

#include <cstdint>
#include <span>

namespace dipaco {

/// The constants of one step.
struct AdamWStep {
  double learning_rate = 0;  ///< of this step: where it follows a schedule, already that
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  double weight_decay = 0;
  std::int64_t count = 1;  ///< steps with this one, from 1: undoes the bias of the moments
};

/// One AdamW step of one module (Loshchilov and Hutter 2019, decoupled decay), in place: what paths that exchange
/// gradients after every step have instead of an outer step (§4.5).
///
///   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
///   params <- params - learning_rate (m / (1 - beta1^count) / (sqrt(v / (1 - beta2^count)) + epsilon)
///                                     + weight_decay params)
///
/// @param params, first_moment, second_moment  [n] of the module: params, m and v
/// @param gradient                             [n] the mean over the module's paths
/// @throws std::logic_error if the spans differ in length
void adamw_step(std::span<float> params, std::span<float> first_moment, std::span<float> second_moment,
                std::span<const float> gradient, const AdamWStep& step);

}  // namespace dipaco
