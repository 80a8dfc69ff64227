#pragma once

#include "core/nn/batch_tensors.hpp"
#include "core/nn/functions.hpp"

namespace dipaco {

/// Softmax attention from each position to the earlier ones of its document, and to itself; query heads share keys and
/// values by groups. Returns [rows * length, heads * head_size] of the queries' type.
at::Tensor attention(const Attended& parts, const BatchTensors& batch);

}  // namespace dipaco
