#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/units.hpp"
#include "core/model/options.hpp"

namespace dipaco {

/// What decides about a device's memory, beside the model's shape.
struct StepForm {
  bool bf16 = false;       ///< of the matrix products; else fp32
  bool recompute = false;  ///< each block keeps its input alone
};

/// What inner steps of a path take of a device's memory (docs/cost-model.md, "The memory of a device").
struct StepMemory {
  Bytes state;        ///< parameters, gradient, AdamW's moments, and in bf16 the copy that is computed with
  Bytes row;          ///< what a row of model.sequence tokens keeps for the way back
  Bytes logits;       ///< of a row
  Bytes most_logits;  ///< at a time

  /// With so many rows at a time.
  Bytes with(std::int64_t rows) const {
    const auto count = static_cast<std::uint64_t>(rows);
    return {state.value + count * row.value + std::min(count * logits.value, most_logits.value)};
  }
  /// Rows that fit into so much; 0: not even one.
  std::int64_t rows_in(Bytes memory) const;
};

StepMemory step_memory(const ModelOptions& model, const StepForm& form);

}  // namespace dipaco
