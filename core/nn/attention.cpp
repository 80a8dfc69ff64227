#include "core/nn/attention.hpp"

#include <optional>
#include <vector>

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

/// [positions, heads, head_size]: of any rows.
at::Tensor flat(const at::Tensor& x) { return x.reshape({x.size(0) * x.size(1), x.size(2), x.size(3)}); }

/// The parts [rows, length, ., head_size] with as many heads each, mixed: [rows, length, heads, head_size].
at::Tensor mixed(const Attended& parts, const std::optional<at::Tensor>& mask) {
  const std::int64_t heads = parts.queries.size(2);
  const auto by_head = [&](const at::Tensor& part) { return for_each_query(part, heads).transpose(1, 2); };
  return at::scaled_dot_product_attention(by_head(parts.queries), by_head(parts.keys), by_head(parts.values), mask, 0.0,
                                          /*is_causal=*/!mask.has_value())
      .transpose(1, 2);
}

/// Document by document: what is computed grows with the sum of their lengths squared.
at::Tensor by_document(const Attended& parts, const BatchTensors& batch) {
  std::vector<std::int64_t> sizes;
  for (std::size_t k = 0; k + 1 < batch.starts.size(); ++k) sizes.push_back(batch.starts[k + 1] - batch.starts[k]);
  // Taken apart at once: the gradients of slices taken one by one are as long as all together each.
  const auto apart = [&](const at::Tensor& part) { return flat(part).split_with_sizes(sizes); };
  const std::vector<at::Tensor> queries = apart(parts.queries), keys = apart(parts.keys), values = apart(parts.values);
  std::vector<at::Tensor> results;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const Attended one{queries[k].unsqueeze(0), keys[k].unsqueeze(0), values[k].unsqueeze(0)};
    results.push_back(mixed(one, std::nullopt).squeeze(0));
  }
  return at::cat(results);
}

/// The same in one kernel of a GPU: flash attention for bf16, memory-efficient attention for fp32.
at::Tensor by_varlen_kernel(const Attended& parts, const BatchTensors& batch) {
  const at::Tensor& starts = batch.starts_on_device;
  const at::Tensor queries = flat(parts.queries);
  if (queries.scalar_type() == at::kBFloat16) {
    return std::get<0>(at::_flash_attention_forward(queries, flat(parts.keys), flat(parts.values), starts, starts,
                                                    batch.longest, batch.longest, /*dropout_p=*/0.0,
                                                    /*is_causal=*/true, /*return_debug_mask=*/false));
  }
  constexpr std::int64_t kCausalFromTopLeft = 1;
  const auto one_row = [&](const at::Tensor& x) { return flat(for_each_query(x, queries.size(1))).unsqueeze(0); };
  return std::get<0>(at::_efficient_attention_forward(one_row(parts.queries), one_row(parts.keys),
                                                      one_row(parts.values), /*bias=*/{}, starts, starts, batch.longest,
                                                      batch.longest, /*dropout_p=*/0.0, kCausalFromTopLeft,
                                                      /*compute_log_sumexp=*/true))
      .squeeze(0);
}

}  // namespace

at::Tensor attention(const Attended& parts, const BatchTensors& batch) {
  const auto joined = [&](const at::Tensor& heads) { return heads.reshape({batch.rows * batch.length, -1}); };
  if (batch.mask.defined()) return joined(mixed(parts, batch.mask.to(parts.queries.scalar_type())));
  if (batch.starts.empty()) return joined(mixed(parts, std::nullopt));
  // The kernels load 16 bytes of a head at a time.
  const bool whole = parts.queries.size(3) * static_cast<std::int64_t>(parts.queries.element_size()) % 16 == 0;
  return joined(batch.starts_on_device.defined() && whole ? by_varlen_kernel(parts, batch) : by_document(parts, batch));
}

}  // namespace dipaco
