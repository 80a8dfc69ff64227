#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/trainer/trainer.hpp"

namespace dipaco::testing {

/// Two blocks, grouped heads whose sizes are no part of hidden: 1,472 parameters.
ModelOptions tiny_model();

/// All blocks in one level.
PathLayout layout_of(const ModelOptions& model);

std::shared_ptr<const Trainer> trainer_for(const ModelOptions& model, const InnerOptions& inner = {});
/// On a device, or by LibTorch's operators alone.
std::shared_ptr<const Trainer> trainer_on(const std::string& device, Kernels kernels = Kernels::library,
                                          const std::string& precision = "fp32");

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

/// The path of a position of rows * length.
using PathRule = std::function<std::int32_t(const Batch& batch, std::size_t at)>;
/// `batch` with a path wherever there is a token but at the first of a segment.
RouterBatch with_paths(Batch batch, const PathRule& rule);

/// made_up_batch with drawn paths below `path_count`: a function of `step`.
RouterBatch made_up_router_batch(const ModelOptions& model, std::int32_t path_count, InnerSteps step);

/// A router out of start_of whose head is drawn, too, so that its loss reaches every parameter.
TrainState router_of(const ModelOptions& model, std::int32_t path_count);

/// `count` steps from `state` by `trainer`, none of them stopped.
InnerReport train(const Trainer& trainer, TrainState& state, const BatchSource& batches, const InnerPlan& plan);

bool same_bits(const TrainState& a, const TrainState& b);

}  // namespace dipaco::testing
