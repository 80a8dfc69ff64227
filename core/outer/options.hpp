#pragma once

#include <cstdint>
#include <string>

namespace dipaco {

/// The outer optimisation (Alg. 1 lines 11-14; constants §7.1). Keys of [outer].
struct OuterOptions {
  std::int64_t steps = 427;  ///< T
  double learning_rate = 0.7;
  double momentum = 0.9;
  std::string policy = "synchronous";
  std::string exchange = "parameters";         ///< or gradients: after every step, and AdamW steps modules (§4.5)
  std::string rescale = "none";                ///< or sqrt: times the square root of the module's paths (§2.7)
  std::string weighting = "shard_size";        ///< or equal (Eq. 2-3)
  std::string outer_gradient_format = "fp32";  ///< or bf16, int8: of outer gradients on the wire (gradient_format.hpp)
};

}  // namespace dipaco
