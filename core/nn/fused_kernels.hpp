#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/model/options.hpp"
#include "core/nn/torch.hpp"

namespace dipaco {

/// The kernels of fused_kernels.cu for one model on one GPU. NVRTC compiles them when they are made: LibTorch's CUDA
/// brings it along, so that neither our build nor the machine needs a CUDA toolkit.
class FusedKernels : public torch::CustomClassHolder {
 public:
  enum class Name { add_norm, add_norm_gradient, rotate, rotate_gradient, gate, gate_gradient, head_gradient };
  static constexpr std::size_t kNames = 7;

  /// @param torch  the folder of LibTorch's libraries
  /// @throws ConfigError where NVRTC is missing or does not know the GPU
  FusedKernels(const ModelOptions& model, at::Device device, const std::string& torch);
  ~FusedKernels() override;

  /// Starts a kernel on the GPU's default stream. `arguments` are its parameters, in order and of their types.
  template <class... Arguments>
  void start(Name name, std::int64_t blocks, int threads, Arguments... arguments) const {
    const std::array<void*, sizeof...(arguments)> addresses{&arguments...};
    launch(name, blocks, threads, addresses);
  }

  const ModelOptions& model() const { return model_; }
  int norm_warps() const;  ///< of a block of add_norm and its gradient

 private:
  void launch(Name name, std::int64_t blocks, int threads, std::span<void* const> arguments) const;

  ModelOptions model_;
  at::Device device_;
  struct Driver;
  std::unique_ptr<const Driver> driver_;
  void* module_ = nullptr;
  std::array<void*, kNames> functions_{};
};

/// Whether the kernels, and flash attention between them, fit the model.
bool fuses(const ModelOptions& model);

}  // namespace dipaco
