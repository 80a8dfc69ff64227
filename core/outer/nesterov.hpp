#pragma once

#include <span>

namespace dipaco {

/// The constants of the outer step.
struct NesterovOptions {
  double rate = 0.7;      ///< §7.1
  double momentum = 0.9;  ///< §7.1
};

/// Applies one outer step to one module, in place.
///
///   velocity <- momentum * velocity + delta
///   params   <- params - rate * (delta + momentum * velocity)
///
/// Source: DiPaCo Alg. 1, line 14; constants §7.1. Choice: the paper names Nesterov momentum but prints no update
/// rule; this is the one of torch.optim.SGD(nesterov=True).
/// @param params, velocity  [n] of the module
/// @param delta             [n] outer gradient, before minus after: it has a gradient's sign
/// @throws std::logic_error if the three spans differ in length
void nesterov_step(std::span<float> params, std::span<float> velocity, std::span<const float> delta,
                   const NesterovOptions& options);

/// The factor of an outer gradient's norm: sqrt(paths) for rescale=sqrt, 1 for none (§2.7).
/// @param paths  P_le, through the module
/// Choice: multiplied, as averaging over k paths shrinks the norm by about 1/sqrt(k).
double rescale_factor(bool rescale_sqrt, std::size_t paths);

}  // namespace dipaco
