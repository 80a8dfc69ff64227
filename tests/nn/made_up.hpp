#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/trainer/trainer.hpp"

namespace dipaco::testing {

/// Two blocks, grouped heads whose sizes are no part of hidden: 1,096 parameters.
ModelOptions tiny_model();

/// All blocks in one level.
PathLayout layout_of(const ModelOptions& model);

std::shared_ptr<const Trainer> trainer_for(const ModelOptions& model, const InnerOptions& inner = {});

/// Random parameters and no moments.
TrainState start_of(const ModelOptions& model, std::uint64_t seed = 1);

using Document = std::vector<std::int32_t>;
/// One row a list of documents, packed from the row's start; each document's first `prefix` tokens are out of the loss.
Batch pack(const std::vector<std::vector<Document>>& rows, std::int64_t length, std::int64_t prefix);

/// A document of `size` tokens below `vocabulary`: a function of `seed`.
Document made_up_document(std::int64_t size, std::int64_t vocabulary, std::uint64_t seed);

/// Four rows of one to three documents each: a function of `step`.
Batch made_up_batch(const ModelOptions& model, InnerSteps step);
BatchSource made_up_batches(const ModelOptions& model);

/// `count` steps from `state` by `trainer`, none of them stopped.
InnerReport train(const Trainer& trainer, TrainState& state, const BatchSource& batches, const InnerPlan& plan);

bool same_bits(const TrainState& a, const TrainState& b);

}  // namespace dipaco::testing
