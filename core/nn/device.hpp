#pragma once

#include <string>

#include "core/nn/torch.hpp"
#include "core/trainer/options.hpp"

namespace dipaco {

/// Where tensors lie, and what works on them.
struct Place {
  at::Device device{at::kCPU};
  /// The loops of kernels.hpp, on a CPU. Otherwise LibTorch's own operators, which every device has.
  bool own_kernels = true;

  at::TensorOptions floats() const { return at::TensorOptions(device).dtype(at::kFloat); }
};

/// "cpu"; "cuda" or "cuda:I", for which LibTorch's CUDA library is loaded, so that a program needs none for the rest.
/// @throws ConfigError for another name, and where that library, a driver, or a GPU of that number is missing
Place open_place(const std::string& device, Kernels kernels);

/// What a user may compare: "cpu AVX2", "cuda".
std::string describe(const Place& place);

}  // namespace dipaco
