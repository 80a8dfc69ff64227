#pragma once

#include <memory>

#include "core/data/batch.hpp"
#include "core/model/options.hpp"
#include "core/trainer/options.hpp"

namespace dipaco {

/// What a reader of LibTorch's documentation would write for the same path: torch::nn modules, separate projections, an
/// additive mask where a row holds several documents, cross entropy over all positions, clip_grad_norm_ and
/// optim::AdamW.
class BareLoop {
 public:
  BareLoop(const ModelOptions& model, const InnerOptions& inner);
  ~BareLoop();

  /// One step on `batch`; returns its mean loss.
  double step(const Batch& batch);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dipaco
