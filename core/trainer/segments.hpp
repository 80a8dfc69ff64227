#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/batch.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// One segment of a batch: positions begin to end - 1 of its row.
struct Segment {
  std::int64_t row = 0;
  std::int32_t number = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// In the order of rows and segments; padding is none.
std::vector<Segment> segments_of(const Batch& batch);

/// Trainer::scores out of Trainer::token_scores [rows * length]: added in doubles, position after position.
/// REQUIRES that every position in the loss lies in a segment.
std::vector<SegmentScore> scores_of(const Batch& batch, std::span<const float> token_scores);

}  // namespace dipaco
