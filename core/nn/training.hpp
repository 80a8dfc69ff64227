#pragma once

#include <atomic>
#include <span>

#include "core/nn/batch_tensors.hpp"
#include "core/nn/gradient.hpp"
#include "core/nn/transformer.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// What AdamW steps train.
struct Training {
  TransformerOptions transformer;
  Predicts predicts = Predicts::tokens;
  InnerOptions options;
  const PathLayout& layout;
  const RotaryTable& table;
  std::span<const Place> others{};  ///< devices beside the transformer's, for ranks
};

/// What Trainer::inner_steps promises, for an LM or a router; the targets of `batches` are what the model predicts.
/// Errors call a step "inner step" or "router step".
InnerReport adamw_steps(const Training& training, TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                        const std::atomic<bool>& stop);

/// What Trainer::gradient promises.
BatchGradient clipped_gradient(const Training& training, std::span<const float> parameters, const Batch& batch,
                               InnerSteps step);

}  // namespace dipaco
