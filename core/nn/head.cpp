#include "core/nn/head.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/base/error.hpp"
#include "core/nn/functions.hpp"
#include "core/nn/fused_path.hpp"

namespace dipaco {
namespace {

/// So many logits stay in a CPU's cache while they are worked on; fewer rows would make the products slow.
constexpr std::int64_t kLogitsAtATime = 1 << 21;
/// 1 GiB of them: so many keep a GPU busy.
constexpr std::int64_t kLogitsOnGpu = 1 << 28;
constexpr std::int64_t kFewestRows = 256;

/// Rows of logits that are worked on at a time.
std::int64_t rows_at_a_time(const HeadInput& input) {
  const std::int64_t logits = input.hidden.is_cpu() ? kLogitsAtATime : kLogitsOnGpu;
  return std::max(kFewestRows, logits / input.head.weight.size(0));
}

/// Consecutive rows whose logits are in memory together.
struct Part {
  std::int64_t first = 0;
  std::int64_t rows = 0;
  at::Tensor logits;  ///< [rows, classes] of the product's type, without the bias
  at::Tensor buffer;  ///< [rows, classes], for their logarithms
};

/// Calls `work(part)` for all of `input` in order.
using Work = std::function<void(const Part& part)>;
void for_each_part(const HeadInput& input, const Work& work) {
  const std::int64_t all = input.hidden.size(0);
  const std::int64_t most = rows_at_a_time(input);
  const at::Tensor buffer = at::empty({std::min(all, most), input.head.weight.size(0)}, input.hidden.options());
  for (std::int64_t first = 0; first < all; first += most) {
    const std::int64_t rows = std::min(most, all - first);
    const at::Tensor logits = raw_product(input.hidden.narrow(0, first, rows), input.head.weight, input.bf16);
    work({first, rows, logits, buffer.narrow(0, 0, rows)});
  }
}

/// The logarithms of probabilities of `rows` rows of the part from its `first` on, in its buffer: [rows, classes].
at::Tensor log_probabilities(const HeadInput& input, const Part& part, std::int64_t first, std::int64_t rows) {
  const at::Tensor logits = part.logits.narrow(0, first, rows).to(at::kFloat);
  at::Tensor result = part.buffer.narrow(0, first, rows);
  return at::_log_softmax_out(result, input.head.bias.defined() ? logits.add(input.head.bias) : logits, 1, false);
}

at::Tensor of_targets(const HeadInput& input, std::int64_t first, std::int64_t rows) {
  return input.targets.narrow(0, first, rows).unsqueeze(1);
}

/// Makes d loss / d logits of the part's buffer: probabilities, less 1 at the target. Returns the logarithms of the
/// targets' probabilities [rows, 1].
at::Tensor to_logit_gradients(const HeadInput& input, const Part& part) {
  const at::Tensor targets = of_targets(input, part.first, part.rows);
  at::Tensor chosen = at::empty(targets.sizes(), part.buffer.options());
  for_each_run(part.buffer, [&](std::int64_t first, std::int64_t rows) {
    const at::Tensor run = log_probabilities(input, part, first, rows), where = targets.narrow(0, first, rows);
    chosen.narrow(0, first, rows).copy_(run.gather(1, where));
    run.exp_().scatter_add_(1, where, at::full(where.sizes(), -1.0F, run.options()));
  });
  return chosen;
}

/// head_loss by the kernels: logits are bf16, and become their gradient where they lie.
at::Tensor fused_head_loss(const HeadInput& input, const HeadGradients& gradients) {
  const at::Tensor sum = at::zeros({}, input.hidden.options().dtype(at::kDouble));
  const at::Tensor weight = input.head.weight.to(at::kBFloat16), hidden = input.hidden.to(at::kBFloat16);
  const std::int64_t all = hidden.size(0), most = rows_at_a_time(input);
  at::Tensor weight_gradient = gradients.head.weight;
  for (std::int64_t first = 0; first < all; first += most) {
    const std::int64_t rows = std::min(most, all - first);
    const at::Tensor part = hidden.narrow(0, first, rows);
    const at::Tensor logits = at::mm(part, weight.t());
    const at::Tensor targets = input.targets.narrow(0, first, rows);
    sum.add_(to_logit_gradient(*input.fused, logits, targets, gradients.scale).sum(at::kDouble));
    gradients.hidden.narrow(0, first, rows).copy_(at::mm(logits, weight));
    weight_gradient.add_(at::mm(logits.t(), part));
  }
  return sum;
}

}  // namespace

Head router_head(const at::Tensor& flat, const PathLayout& layout, const ModelOptions& model) {
  const auto n = static_cast<std::int64_t>(layout.size);
  const std::int64_t paths = (flat.numel() - n) / (model.hidden + 1);
  check(paths > 0 && flat.numel() == n + paths * (model.hidden + 1), "behind a router's LM lie its head and bias");
  return {flat.narrow(0, n, paths * model.hidden).view({paths, model.hidden}),
          flat.narrow(0, n + paths * model.hidden, paths)};
}

at::Tensor logits_of(const at::Tensor& hidden, const Head& head, bool bf16) {
  at::Tensor logits = product(hidden, head.weight, bf16);
  return head.bias.defined() ? logits.add_(head.bias) : logits;
}

std::vector<float> negative_log_likelihood(const HeadInput& input) {
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(input.hidden.size(0)));
  for_each_part(input, [&](const Part& part) {
    const at::Tensor chosen =
        log_probabilities(input, part, 0, part.rows).gather(1, of_targets(input, part.first, part.rows)).cpu();
    const float* const values = chosen.const_data_ptr<float>();
    for (std::int64_t k = 0; k < part.rows; ++k) result.push_back(-values[k]);
  });
  return result;
}

at::Tensor head_loss(const HeadInput& input, const HeadGradients& gradients) {
  if (input.fused != nullptr) return fused_head_loss(input, gradients);
  const at::Tensor sum = at::zeros({}, input.hidden.options().dtype(at::kDouble));
  const at::Tensor weight = input.bf16 ? input.head.weight.to(at::kBFloat16) : input.head.weight;
  const HeadInput cast{input.hidden, {weight, input.head.bias}, input.targets, input.bf16};
  for_each_part(cast, [&](const Part& part) {
    const at::Tensor hidden = input.hidden.narrow(0, part.first, part.rows);
    at::Tensor hidden_gradient = gradients.hidden.narrow(0, part.first, part.rows);
    at::Tensor weight_gradient = gradients.head.weight;
    sum.sub_(to_logit_gradients(cast, part).sum(at::kDouble));
    if (gradients.head.bias.defined()) gradients.head.bias.add_(part.buffer.sum(0), gradients.scale);
    if (input.bf16) {
      const at::Tensor logit_gradient = part.logits;
      for_each_run(part.buffer, [&](std::int64_t first, std::int64_t rows) {
        logit_gradient.narrow(0, first, rows).copy_(part.buffer.narrow(0, first, rows).mul_(gradients.scale));
      });
      hidden_gradient.copy_(at::mm(logit_gradient, weight));
      weight_gradient.add_(at::mm(logit_gradient.t(), hidden.to(at::kBFloat16)));
      return;
    }
    at::addmm_out(hidden_gradient, hidden_gradient, part.buffer, weight, 0, gradients.scale);
    at::addmm_out(weight_gradient, weight_gradient, part.buffer.t(), hidden, 1, gradients.scale);
  });
  return sum;
}

}  // namespace dipaco
