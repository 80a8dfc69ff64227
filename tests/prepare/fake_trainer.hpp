#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trainer/trainer.hpp"

namespace dipaco::testing {

/// A trainer without LibTorch whose every answer can be worked by hand, and that counts what it is asked for.
/// - an inner step adds to every parameter (its element's draw by name does not matter) 1e-3 x the batch's mean token;
///   the moments become the last batch's mean and its square;
/// - a gradient is the batch's mean token in every element;
/// - a feature is the share of each token id modulo the width among the segment's first positions, times 1 + the sum
///   of the parameters' hash bits, so that it depends on both;
/// - a score is ln(vocabulary) a token, less 0.01 x the mean parameter;
/// - a router step counts (path, token modulo the width) in its head, at a loss of 0; a logit is such a count.
class FakeTrainer final : public Trainer {
 public:
  explicit FakeTrainer(ModelOptions model) : model_(std::move(model)) {}

  std::string description() const override { return "fake"; }
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override;
  BatchGradient gradient(std::span<const float> parameters, const Batch& batch, InnerSteps step) const override;
  std::vector<float> features(std::span<const float> parameters, const Batch& batch,
                              std::int64_t prefix) const override;
  std::vector<SegmentScore> scores(std::span<const float> parameters, const Batch& batch) const override;
  std::vector<float> token_scores(std::span<const float> parameters, const Batch& batch) const override;
  InnerReport router_steps(TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan,
                           const std::atomic<bool>& stop) const override;
  std::vector<float> router_logits(std::span<const float> router, std::int32_t path_count, const Batch& batch,
                                   std::span<const std::int64_t> positions) const override;
  std::vector<float> product(std::span<const float> a, std::span<const float> b,
                             const ProductShape& shape) const override;

  mutable std::atomic<std::int64_t> steps_done{0};
  mutable std::atomic<std::int64_t> totals_seen{0};  ///< the last plan's total
  mutable std::atomic<std::int64_t> feature_calls{0};
  mutable std::atomic<std::int64_t> score_calls{0};

 private:
  std::size_t head_size(std::int32_t path_count) const;
  std::size_t head_element(std::int32_t path, std::int32_t token) const;

  ModelOptions model_;
};

}  // namespace dipaco::testing
