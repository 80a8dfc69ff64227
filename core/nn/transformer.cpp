#include "core/nn/transformer.hpp"

#include "core/nn/functions.hpp"

namespace dipaco {
namespace {

/// [rows, length, key_value_heads, head_size] to as many heads as there are queries: each group reads one.
at::Tensor for_each_query(const at::Tensor& x, std::int64_t heads) {
  if (x.size(2) == heads) return x;
  const std::int64_t group = heads / x.size(2);
  return x.unsqueeze(3)
      .expand({x.size(0), x.size(1), x.size(2), group, x.size(3)})
      .reshape({x.size(0), x.size(1), heads, x.size(3)});
}

at::Tensor attend(const TransformerOptions& options, const BlockTensors& block, const BatchTensors& batch,
                  const at::Tensor& x) {
  const ModelOptions& model = options.model;
  const HeadShape shape{batch.rows, batch.length, model.heads, key_value_heads(model), model.head_size};
  const at::Tensor qkv = product(x, block.qkv, options.bf16);
  const Attended parts = split_and_rotate(qkv, batch.cosines, batch.sines, shape, options.place.own_kernels);
  const auto by_head = [&](const at::Tensor& part) {
    const at::Tensor all = for_each_query(part, model.heads).transpose(1, 2);
    return options.bf16 ? all.to(at::kBFloat16) : all;
  };
  const bool causal = !batch.mask.defined();
  std::optional<at::Tensor> mask;
  if (!causal) mask = options.bf16 ? batch.mask.to(at::kBFloat16) : batch.mask;
  const at::Tensor mixed = at::scaled_dot_product_attention(by_head(parts.queries), by_head(parts.keys),
                                                            by_head(parts.values), mask, 0.0, causal);
  const at::Tensor joined = mixed.transpose(1, 2).reshape({x.size(0), model.heads * model.head_size});
  return product(joined.to(at::kFloat), block.output, options.bf16);
}

}  // namespace

at::Tensor embed(const PathTensors& path, const BatchTensors& batch) {
  return path.embedding.index_select(0, batch.tokens);
}

at::Tensor run_blocks(const TransformerOptions& options, const PathTensors& path, const BatchTensors& batch,
                      at::Tensor x) {
  const double epsilon = options.model.norm_epsilon;
  const bool own = options.place.own_kernels;
  for (const BlockTensors& block : path.blocks) {
    x = x + attend(options, block, batch, rms_norm(x, block.attention_norm, epsilon, own));
    const at::Tensor gate_up = product(rms_norm(x, block.mlp_norm, epsilon, own), block.gate_up, options.bf16);
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
