#pragma once

#include <vector>

#include "core/nn/torch.hpp"

namespace dipaco {

/// The head is the transposed embedding; logits are never whole in memory, but some rows at a time.
struct HeadInput {
  at::Tensor hidden;     ///< [k, hidden]
  at::Tensor embedding;  ///< [vocabulary, hidden]
  at::Tensor targets;    ///< [k] int64
  bool bf16 = false;
};

/// Negative log-likelihood of each target, in nats: [k].
std::vector<double> negative_log_likelihood(const HeadInput& input);

/// The same summed, and its gradients times `scale`: that of `hidden` is set, that of `embedding` is added.
struct HeadGradients {
  at::Tensor hidden;     ///< [k, hidden]
  at::Tensor embedding;  ///< [vocabulary, hidden]
  double scale = 1;
};
double head_loss(const HeadInput& input, const HeadGradients& gradients);

}  // namespace dipaco
