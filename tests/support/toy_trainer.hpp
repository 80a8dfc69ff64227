#pragma once

#include "core/trainer/trainer.hpp"

namespace dipaco {

/// A trainer without LibTorch for tests of everything around training: it knows no architecture, but what it makes
/// depends on every parameter, every token of the batch and the step, and any slip shows in the bits. Each step pulls
/// every parameter towards a value drawn from the batch's tokens, with two moments like AdamW's; its loss is the mean
/// squared distance, which falls. A token's loss depends on the parameter that its number falls on, so that paths know
/// different tokens. A router is a table by the last token and the path, which logistic regression fills.
class ToyTrainer : public Trainer {
 public:
  std::string description() const override { return "toy"; }
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override;
  std::vector<float> features(std::span<const float> parameters, const Batch& batch,
                              std::int64_t prefix) const override;
  BatchGradient gradient(std::span<const float> parameters, const Batch& batch, InnerSteps step) const override;
  std::vector<SegmentScore> scores(std::span<const float> parameters, const Batch& batch) const override;
  std::vector<float> token_scores(std::span<const float> parameters, const Batch& batch) const override;
  InnerReport router_steps(TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan,
                           const std::atomic<bool>& stop) const override;
  std::vector<float> router_logits(std::span<const float> router, std::int32_t path_count, const Batch& batch,
                                   std::span<const std::int64_t> positions) const override;
  std::vector<float> product(std::span<const float> a, std::span<const float> b,
                             const ProductShape& shape) const override;
};

}  // namespace dipaco
