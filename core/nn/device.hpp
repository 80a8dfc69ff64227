#pragma once

#include <string>
#include <vector>

#include "core/nn/fused_kernels.hpp"
#include "core/nn/torch.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// Where tensors lie, and what works on them.
struct Place {
  at::Device device{at::kCPU};
  /// The loops of kernels.hpp, on a CPU. Otherwise LibTorch's own operators, which every device has.
  bool own_kernels = true;
  /// On a GPU, for a model in bf16: what stands between its matrix products. Null: LibTorch's operators.
  c10::intrusive_ptr<FusedKernels> fused{};
  std::string name{};  ///< of the GPU

  at::TensorOptions floats() const { return at::TensorOptions(device).dtype(at::kFloat); }
};

/// Of options.device: "cpu"; "cuda" or "cuda:I", for which LibTorch's CUDA library is loaded, so that a program needs
/// none for the rest; or several GPUs of one kind, "cuda:0,cuda:1", at most inner.ranks.
/// @throws ConfigError for another name, and where that library, a driver, or a GPU of that number is missing
std::vector<Place> open_places(const TrainerOptions& options);

/// What a user may compare: "cpu AVX2", "cuda NVIDIA H200, fused".
std::string describe(const Place& place);

}  // namespace dipaco
