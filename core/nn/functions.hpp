#pragma once

#include <algorithm>
#include <cstdint>

#include "core/nn/torch.hpp"

namespace dipaco {

/// Calls `work(first, rows)` for runs of the n rows of `x` [n, d] in order: few enough that a core's own cache has them
/// from one operator to the next. Rows that are worked on one by one have the same bits however they are cut. On a GPU
/// there is one run.
template <class Work>
void for_each_run(const at::Tensor& x, Work work) {
  constexpr std::int64_t kNumbers = 1 << 16;  // 256 KiB: processors that train have twice as much a core, or more
  const std::int64_t n = x.size(0), most = x.is_cpu() ? std::max<std::int64_t>(1, kNumbers / x.size(1)) : n;
  for (std::int64_t first = 0; first < n; first += most) work(first, std::min(most, n - first));
}

/// x [n, in] times the transpose of weight [out, in]: [n, out]. Both are rounded to bf16 first where `bf16`, which is
/// what autocast does; the result is fp32.
at::Tensor product(const at::Tensor& x, const at::Tensor& weight, bool bf16);
/// The same, in bf16 where `bf16`.
at::Tensor raw_product(const at::Tensor& x, const at::Tensor& weight, bool bf16);

// `own_kernels`: see Place.

/// RMSNorm over the last dimension: x [n, d], weight [d].
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon, bool own_kernels);

/// silu(gate) * up of gate_up [n, 2 width], gate first: [n, width] of the same type, computed in fp32.
at::Tensor gated(const at::Tensor& gate_up);

/// How attention reads the product with the stacked query, key and value matrices.
struct HeadShape {
  std::int64_t rows = 0;
  std::int64_t length = 0;
  std::int64_t heads = 0;
  std::int64_t key_value_heads = 0;
  std::int64_t head_size = 0;
};

struct Attended {
  at::Tensor queries;  ///< [rows, length, heads, head_size]
  at::Tensor keys;     ///< [rows, length, key_value_heads, head_size]
  at::Tensor values;   ///< [rows, length, key_value_heads, head_size]
};

/// Takes qkv [rows * length, (heads + 2 key_value_heads) * head_size] apart, into fp32; queries and keys are turned by
/// their positions' angles: cosines and sines [rows * length, head_size / 2].
Attended split_and_rotate(const at::Tensor& qkv, const at::Tensor& cosines, const at::Tensor& sines,
                          const HeadShape& shape, bool own_kernels);

}  // namespace dipaco
