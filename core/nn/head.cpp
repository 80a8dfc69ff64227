#include "core/nn/head.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/nn/functions.hpp"

namespace dipaco {
namespace {

/// So many logits stay in cache while they are worked on; fewer rows would make the products slow.
constexpr std::int64_t kLogitsAtATime = 1 << 21;
constexpr std::int64_t kFewestRows = 256;

/// Calls `work(first, rows, log_probabilities [rows, vocabulary])` for all of `input` in order.
using Work = std::function<void(std::int64_t first, std::int64_t rows, at::Tensor& log_probabilities)>;
void for_each_part(const HeadInput& input, const Work& work) {
  const std::int64_t all = input.hidden.size(0);
  const std::int64_t most = std::max(kFewestRows, kLogitsAtATime / input.embedding.size(0));
  at::Tensor buffer = at::empty({std::min(all, most), input.embedding.size(0)}, at::kFloat);
  for (std::int64_t first = 0; first < all; first += most) {
    const std::int64_t rows = std::min(most, all - first);
    const at::Tensor logits = product(input.hidden.narrow(0, first, rows), input.embedding, input.bf16);
    at::Tensor part = buffer.narrow(0, 0, rows);
    at::_log_softmax_out(part, logits, 1, false);
    work(first, rows, part);
  }
}

at::Tensor of_targets(const HeadInput& input, std::int64_t first, std::int64_t rows) {
  return input.targets.narrow(0, first, rows).unsqueeze(1);
}

}  // namespace

std::vector<double> negative_log_likelihood(const HeadInput& input) {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(input.hidden.size(0)));
  for_each_part(input, [&](std::int64_t first, std::int64_t rows, at::Tensor& log_probabilities) {
    const at::Tensor chosen = log_probabilities.gather(1, of_targets(input, first, rows));
    const float* const values = chosen.const_data_ptr<float>();
    for (std::int64_t k = 0; k < rows; ++k) result.push_back(-static_cast<double>(values[k]));
  });
  return result;
}

double head_loss(const HeadInput& input, const HeadGradients& gradients) {
  double sum = 0;
  const at::Tensor embedding = input.bf16 ? input.embedding.to(at::kBFloat16) : input.embedding;
  for_each_part({input.hidden, embedding, input.targets, input.bf16}, [&](std::int64_t first, std::int64_t rows,
                                                                          at::Tensor& log_probabilities) {
    const at::Tensor targets = of_targets(input, first, rows);
    const at::Tensor hidden = input.hidden.narrow(0, first, rows);
    at::Tensor hidden_gradient = gradients.hidden.narrow(0, first, rows);
    at::Tensor embedding_gradient = gradients.embedding;
    sum -= log_probabilities.gather(1, targets).sum(at::kDouble).item<double>();
    // d loss / d logits = probabilities - 1 at the target.
    at::Tensor logit_gradient = log_probabilities.exp_().scatter_add_(1, targets, at::full(targets.sizes(), -1.0F));
    if (input.bf16) {
      logit_gradient = logit_gradient.mul_(gradients.scale).to(at::kBFloat16);
      hidden_gradient.copy_(at::mm(logit_gradient, embedding));
      embedding_gradient.add_(at::mm(logit_gradient.t(), hidden.to(at::kBFloat16)));
      return;
    }
    at::addmm_out(hidden_gradient, hidden_gradient, logit_gradient, embedding, 0, gradients.scale);
    at::addmm_out(embedding_gradient, embedding_gradient, logit_gradient.t(), hidden, 1, gradients.scale);
  });
  return sum;
}

}  // namespace dipaco
