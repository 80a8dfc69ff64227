#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "core/data/batch.hpp"
#include "core/model/options.hpp"
#include "core/trainer/options.hpp"

namespace dipaco {

/// What a reader of LibTorch's documentation would write for the same path: torch::nn modules, separate projections, an
/// additive mask where a row holds several documents, cross entropy over all positions, clip_grad_norm_ and
/// optim::AdamW. In bf16 by LibTorch's autocast; inner.micro_batch rows at a time.
class BareLoop {
 public:
  /// @param device  LibTorch's name of it; a GPU's library is loaded already
  BareLoop(const ModelOptions& model, const InnerOptions& inner, const std::string& device = "cpu");
  ~BareLoop();

  /// One step on `batch`; returns its mean loss, which it does not wait for.
  at::Tensor step(const Batch& batch);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dipaco
