#pragma once

#include <cstdint>
#include <string>

#include "core/base/units.hpp"

namespace dipaco {

/// The outer optimisation (Alg. 1 lines 11-14; constants §7.1). Keys of [outer].
struct OuterOptions {
  std::int64_t steps = 427;               ///< T
  double learning_rate = 0.7;             ///< of outer steps; on single steps' gradients [inner]'s is taken
  double momentum = 0.9;                  ///< of outer.optimizer=nesterov and delayed_nesterov, in [0, 1)
  std::string policy = "synchronous";     ///< when a module steps and what its paths give it (policies.hpp)
  std::string optimizer = "auto";         ///< or nesterov, sgd, adamw, delayed_nesterov; auto: the policy's own
  std::int64_t quorum = 0;                ///< K of outer.policy=quorum; 0: half of a module's paths
  Seconds grace{0};                       ///< quorum: a module waits so long for more; asynchronous: a path for others
  double grace_share = 0;                 ///< quorum: the same, as a share of what the quorum took (2604.21428)
  std::string staleness_weight = "none";  ///< or polynomial: (1 + staleness)^-1/2 (2401.09135)
  std::int64_t max_staleness = 0;         ///< versions; 0: no bound
  double delay_compensation = 0;          ///< lambda of g + lambda g g (newest - base) (2401.09135); 0: none
  std::int64_t buffer = 1;                ///< asynchronous: contributions that a module gathers for a step (FedBuff)
  std::int64_t delay = 0;                 ///< N of outer.optimizer=delayed_nesterov; 0: the module's paths
  double c = 0;                           ///< of outer.optimizer=delayed_nesterov, in [0, 1/N]
  std::int64_t merge_every = 32;          ///< K of outer.policy=hierarchical, as the next five
  double merge_weight = 0.25;             ///< alpha, in (0, 1]
  std::string global_optimizer = "auto";  ///< of global parts; auto: delayed_nesterov
  double global_learning_rate = 0.7;
  double global_momentum = 0.9;
  std::int64_t global_delay = 0;  ///< N of global_optimizer=delayed_nesterov; 0: the module's regional parts
  double beta1 = 0.9;             ///< of outer.optimizer=adamw, as the next three
  double beta2 = 0.999;
  double epsilon = 0.1;  ///< DiLoCo (2311.08105, table 5): a smaller one is not stable
  double weight_decay = 0;
  std::string rescale = "none";          ///< or sqrt: times the square root of the module's paths (§2.7)
  std::string weighting = "shard_size";  ///< or equal (Eq. 2-3), or tokens: equal, times inner steps (2604.21428)
  std::string averaging = "mean";        ///< or radial_directional (radial.hpp)
  double drop = 0;                       ///< probability that a path's outer step is for itself alone (2311.08105)
  double prune = 0;                      ///< share of each neuron's values that is set to 0 (2311.08105)
  std::string prune_by = "magnitude";    ///< or sign: which first (prune.hpp)
  std::string outer_gradient_format =
      "fp32";  ///< or bf16, int8, e3m0: of outer gradients on the wire (gradient_format.hpp)
};

}  // namespace dipaco
