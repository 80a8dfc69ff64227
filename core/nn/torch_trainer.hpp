#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "core/nn/batch_tensors.hpp"
#include "core/nn/transformer.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The trainer on LibTorch. Each call makes its own tensors from the spans, and ends with none of LibTorch's modes set.
class TorchTrainer : public Trainer {
 public:
  /// @throws ConfigError for an unknown precision.
  explicit TorchTrainer(const TrainerOptions& options);

  std::string description() const override;
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override;
  std::vector<float> features(std::span<const float> parameters, const Batch& batch,
                              std::int64_t prefix) const override;
  std::vector<SegmentScore> scores(std::span<const float> parameters, const Batch& batch) const override;
  std::vector<float> product(std::span<const float> a, std::span<const float> b, std::int64_t n, std::int64_t k,
                             std::int64_t d) const override;

 private:
  /// `batch` may be longer than the rows of training.
  BatchTensors to_tensors(const Batch& batch) const;

  TrainerOptions options_;
  TransformerOptions transformer_;
  RotaryTable table_;
};

}  // namespace dipaco
