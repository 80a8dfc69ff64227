#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/nn/batch_tensors.hpp"
#include "core/nn/training.hpp"
#include "core/nn/transformer.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The trainer on LibTorch. Each call makes its own tensors from the spans, and ends with none of LibTorch's modes set.
class TorchTrainer : public Trainer {
 public:
  /// @throws ConfigError for an unknown precision.
  explicit TorchTrainer(const TrainerOptions& options);

  std::string description() const override;
  bool repeats() const override { return options_.device == "cpu" || options_.deterministic; }
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override;
  std::vector<float> features(std::span<const float> parameters, const Batch& batch,
                              std::int64_t prefix) const override;
  std::vector<SegmentScore> scores(std::span<const float> parameters, const Batch& batch) const override;
  std::vector<float> token_scores(std::span<const float> parameters, const Batch& batch) const override;
  BatchGradient gradient(std::span<const float> parameters, const Batch& batch, InnerSteps step) const override;
  InnerReport router_steps(TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan,
                           const std::atomic<bool>& stop) const override;
  std::vector<float> router_logits(std::span<const float> router, std::int32_t path_count, const Batch& batch,
                                   std::span<const std::int64_t> positions) const override;
  std::vector<float> product(std::span<const float> a, std::span<const float> b,
                             const ProductShape& shape) const override;

 private:
  /// Of paths.
  Training training() const;
  /// `batch` may be longer than the rows of training.
  BatchTensors to_tensors(const Batch& batch) const;
  void check_router_size(std::size_t size, std::int32_t path_count) const;

  TrainerOptions options_;
  std::vector<Place> places_;  ///< the first one's kind is all others'
  TransformerOptions transformer_;
  RotaryTable table_;
};

}  // namespace dipaco
