#pragma once

#include <span>

#include "core/nn/batch_tensors.hpp"
#include "core/nn/fused_kernels.hpp"
#include "core/nn/path_tensors.hpp"

namespace dipaco {

/// What run_blocks does in bf16, by the kernels: what passes between matrix products is bf16, the residual stream fp32,
/// as it is with LibTorch's autocast.
at::Tensor run_fused_blocks(const c10::intrusive_ptr<FusedKernels>& kernels, std::span<const BlockTensors> blocks,
                            const BatchTensors& batch, at::Tensor x);

/// Turns logits [k, vocabulary] bf16 into the gradient of their losses times `scale`. Returns the losses in nats, [k].
at::Tensor to_logit_gradient(const FusedKernels& kernels, const at::Tensor& logits, const at::Tensor& targets,
                             double scale);

}  // namespace dipaco
