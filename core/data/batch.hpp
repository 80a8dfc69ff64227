#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// Rows of packed documents. Every array is [rows, length], row-major. Attention goes from a position to earlier
/// ones of the same row and segment; positions start at 0 in each segment.
struct Batch {
  static constexpr std::int32_t kNoTarget = -1;  ///< not in the loss: the next token is in the prefix, or there is none
  static constexpr std::int32_t kPadding = -1;   ///< segment of a position that holds no token

  std::int64_t rows = 0;
  std::int64_t length = 0;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;    ///< the token that follows in the document, or kNoTarget
  std::vector<std::int32_t> segments;   ///< 0-based within a row, non-decreasing, or kPadding at the row's end
  std::vector<std::int32_t> positions;  ///< within the segment
};

/// The batch of an inner step counted from the start of pretraining. A pure function; may be called on any thread.
using BatchSource = std::function<Batch(InnerSteps step)>;

}  // namespace dipaco
