#pragma once

#include <cstdint>
#include <span>

#include "core/data/batch.hpp"
#include "core/model/options.hpp"

namespace dipaco {

/// `rows` rows of drawn tokens, a function of `step`. Each is documents that end before the positions `ends`, the last of
/// which is model.sequence; the first 32 tokens of each document are out of the loss.
Batch made_up_batch(const ModelOptions& model, std::int64_t rows, std::span<const std::int64_t> ends, InnerSteps step);

}  // namespace dipaco
