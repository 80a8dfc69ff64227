#pragma once

#include <span>

#include "core/nn/batch_tensors.hpp"
#include "core/nn/path_tensors.hpp"
#include "core/nn/torch.hpp"

namespace dipaco {

/// How a path computes, beside its parameters.
struct TransformerOptions {
  ModelOptions model;
  bool bf16 = false;  ///< matrix products in bf16, and attention where that is faster; all else in fp32
  Place place;
};

/// Consecutive blocks of LlamaForCausalLM: x [positions, hidden] to the last one's output, before the final norm.
at::Tensor run_blocks(const TransformerOptions& options, std::span<const BlockTensors> blocks,
                      const BatchTensors& batch, at::Tensor x);

/// The embedded tokens [positions, hidden].
at::Tensor embed(const PathTensors& path, const BatchTensors& batch);

/// The final norm of the last block's output at `positions` [k] int64: what a head reads, [k, hidden].
at::Tensor head_input(const TransformerOptions& options, const PathTensors& path, const at::Tensor& last_block,
                      const at::Tensor& positions);

}  // namespace dipaco
