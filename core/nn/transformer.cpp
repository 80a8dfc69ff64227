#include "core/nn/transformer.hpp"

#include "core/nn/attention.hpp"
#include "core/nn/functions.hpp"
#include "core/nn/fused_path.hpp"

namespace dipaco {
namespace {

/// Whether attention is in bf16, too. On a CPU LibTorch takes 32 or 64 queries at a time below so many positions, and
/// 256 from there on: with few of them its products in bf16 take less time than what oneDNN does before each, so that
/// attention over 128 positions takes 2.2 times as long as in fp32 (docs/results/inner-step.md).
bool attends_in_bf16(const TransformerOptions& options, const BatchTensors& batch) {
  constexpr std::int64_t kManyQueries = 768;
  return options.bf16 && (!options.place.device.is_cpu() || batch.length >= kManyQueries);
}

at::Tensor attend(const TransformerOptions& options, const BlockTensors& block, const BatchTensors& batch,
                  const at::Tensor& x) {
  const ModelOptions& model = options.model;
  const HeadShape shape{batch.rows, batch.length, model.heads, key_value_heads(model), model.head_size};
  const at::Tensor qkv = raw_product(x, block.qkv, options.bf16);
  Attended parts = split_and_rotate(qkv, batch.cosines, batch.sines, shape, options.place.own_kernels);
  if (attends_in_bf16(options, batch)) {
    for (at::Tensor* const part : {&parts.queries, &parts.keys, &parts.values}) *part = part->to(at::kBFloat16);
  }
  return product(attention(parts, batch).to(at::kFloat), block.output, options.bf16);
}

}  // namespace

at::Tensor embed(const PathTensors& path, const BatchTensors& batch) {
  return path.embedding.index_select(0, batch.tokens);
}

at::Tensor run_blocks(const TransformerOptions& options, std::span<const BlockTensors> blocks,
                      const BatchTensors& batch, at::Tensor x) {
  if (options.place.fused) return run_fused_blocks(options.place.fused, blocks, batch, std::move(x));
  const double epsilon = options.model.norm_epsilon;
  const bool own = options.place.own_kernels;
  for (const BlockTensors& block : blocks) {
    x = x + attend(options, block, batch, rms_norm(x, block.attention_norm, epsilon, own));
    const at::Tensor gate_up = raw_product(rms_norm(x, block.mlp_norm, epsilon, own), block.gate_up, options.bf16);
    x = x + product(gated(gate_up), block.down, options.bf16);
  }
  return x;
}

at::Tensor head_input(const TransformerOptions& options, const PathTensors& path, const at::Tensor& last_block,
                      const at::Tensor& positions) {
  return rms_norm(last_block.index_select(0, positions), path.final_norm, options.model.norm_epsilon,
                  options.place.own_kernels);
}

}  // namespace dipaco
