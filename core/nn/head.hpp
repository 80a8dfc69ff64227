#pragma once

#include <vector>

#include "core/model/layout.hpp"
#include "core/nn/device.hpp"
#include "core/nn/torch.hpp"

namespace dipaco {

/// What turns a position into logits: the transposed embedding of an LM, or a matrix and a bias of a router's own.
struct Head {
  at::Tensor weight;  ///< [classes, hidden]
  at::Tensor bias;    ///< [classes], or undefined: none
};

/// A router's head: what lies in `flat` behind the layout's n parameters (trainer/transformer_router.hpp). Views.
Head router_head(const at::Tensor& flat, const PathLayout& layout, const ModelOptions& model);

/// [k, hidden] to [k, classes].
at::Tensor logits_of(const at::Tensor& hidden, const Head& head, bool bf16);

/// What a loss reads. Its logits are never whole in memory, but some rows at a time.
struct HeadInput {
  at::Tensor hidden;  ///< [k, hidden]
  Head head;
  at::Tensor targets;  ///< [k] int64, classes
  bool bf16 = false;
  const FusedKernels* fused = nullptr;  ///< of the LM that the head is of, where its place has them
};

/// Negative log-likelihood of each target, in nats: [k].
std::vector<float> negative_log_likelihood(const HeadInput& input);

/// The same summed, a double where `hidden` lies, and its gradients times `scale`: that of `hidden` is set, those of
/// the head are added.
struct HeadGradients {
  at::Tensor hidden;  ///< [k, hidden]
  Head head;
  double scale = 1;
};
at::Tensor head_loss(const HeadInput& input, const HeadGradients& gradients);

}  // namespace dipaco
