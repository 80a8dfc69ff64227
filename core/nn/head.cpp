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

/// Calls `work(first, rows, log_probabilities [rows, classes])` for all of `input` in order.
using Work = std::function<void(std::int64_t first, std::int64_t rows, at::Tensor& log_probabilities)>;
void for_each_part(const HeadInput& input, const Work& work) {
  const std::int64_t all = input.hidden.size(0);
  const std::int64_t most = rows_at_a_time(input);
  at::Tensor buffer = at::empty({std::min(all, most), input.head.weight.size(0)}, input.hidden.options());
  for (std::int64_t first = 0; first < all; first += most) {
    const std::int64_t rows = std::min(most, all - first);
    const at::Tensor logits = logits_of(input.hidden.narrow(0, first, rows), input.head, input.bf16);
    at::Tensor part = buffer.narrow(0, 0, rows);
    at::_log_softmax_out(part, logits, 1, false);
    work(first, rows, part);
  }
}

at::Tensor of_targets(const HeadInput& input, std::int64_t first, std::int64_t rows) {
  return input.targets.narrow(0, first, rows).unsqueeze(1);
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
  for_each_part(input, [&](std::int64_t first, std::int64_t rows, at::Tensor& log_probabilities) {
    const at::Tensor chosen = log_probabilities.gather(1, of_targets(input, first, rows)).cpu();
    const float* const values = chosen.const_data_ptr<float>();
    for (std::int64_t k = 0; k < rows; ++k) result.push_back(-values[k]);
  });
  return result;
}

at::Tensor head_loss(const HeadInput& input, const HeadGradients& gradients) {
  if (input.fused != nullptr) return fused_head_loss(input, gradients);
  const at::Tensor sum = at::zeros({}, input.hidden.options().dtype(at::kDouble));
  const at::Tensor weight = input.bf16 ? input.head.weight.to(at::kBFloat16) : input.head.weight;
  const HeadInput cast{input.hidden, {weight, input.head.bias}, input.targets, input.bf16};
  for_each_part(cast, [&](std::int64_t first, std::int64_t rows, at::Tensor& log_probabilities) {
    const at::Tensor targets = of_targets(input, first, rows);
    const at::Tensor hidden = input.hidden.narrow(0, first, rows);
    at::Tensor hidden_gradient = gradients.hidden.narrow(0, first, rows);
    at::Tensor weight_gradient = gradients.head.weight;
    sum.sub_(log_probabilities.gather(1, targets).sum(at::kDouble));
    // d loss / d logits = probabilities - 1 at the target.
    at::Tensor logit_gradient =
        log_probabilities.exp_().scatter_add_(1, targets, at::full(targets.sizes(), -1.0F, hidden.options()));
    if (gradients.head.bias.defined()) gradients.head.bias.add_(logit_gradient.sum(0), gradients.scale);
    if (input.bf16) {
      logit_gradient = logit_gradient.mul_(gradients.scale).to(at::kBFloat16);
      hidden_gradient.copy_(at::mm(logit_gradient, weight));
      weight_gradient.add_(at::mm(logit_gradient.t(), hidden.to(at::kBFloat16)));
      return;
    }
    at::addmm_out(hidden_gradient, hidden_gradient, logit_gradient, weight, 0, gradients.scale);
    at::addmm_out(weight_gradient, weight_gradient, logit_gradient.t(), hidden, 1, gradients.scale);
  });
  return sum;
}

}  // namespace dipaco
