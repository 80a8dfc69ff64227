#pragma once

#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The trainer of a model without parameters, for a run in which nothing is learned: its steps change the number of
/// steps that were done, and nothing else.
class EmptyTrainer : public Trainer {
 public:
  std::string description() const override { return {}; }
  InnerReport inner_steps(TrainState& state, const BatchSource& /*batches*/, const InnerPlan& plan,
                          const std::atomic<bool>& /*stop*/) const override {
    state.step += plan.count;
    return {.done = plan.count};
  }
  BatchGradient gradient(std::span<const float> /*parameters*/, const Batch& /*batch*/,
                         InnerSteps /*step*/) const override {
    return {};
  }
  std::vector<float> features(std::span<const float> /*parameters*/, const Batch& /*batch*/,
                              std::int64_t /*prefix*/) const override {
    return {};
  }
  std::vector<SegmentScore> scores(std::span<const float> /*parameters*/, const Batch& /*batch*/) const override {
    return {};
  }
  std::vector<float> token_scores(std::span<const float> /*parameters*/, const Batch& /*batch*/) const override {
    return {};
  }
  InnerReport router_steps(TrainState& /*state*/, const RouterBatchSource& /*batches*/, const RouterPlan& /*plan*/,
                           const std::atomic<bool>& /*stop*/) const override {
    return {};
  }
  std::vector<float> router_logits(std::span<const float> /*router*/, std::int32_t /*path_count*/,
                                   const Batch& /*batch*/, std::span<const std::int64_t> /*positions*/) const override {
    return {};
  }
  std::vector<float> product(std::span<const float> /*a*/, std::span<const float> /*b*/,
                             const ProductShape& /*shape*/) const override {
    return {};
  }
};

}  // namespace dipaco
