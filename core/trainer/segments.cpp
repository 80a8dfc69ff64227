#include "core/trainer/segments.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/error.hpp"

namespace dipaco {

std::vector<Segment> segments_of(const Batch& batch) {
  std::vector<Segment> result;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const std::int32_t* const segments = batch.segments.data() + row * batch.length;
    for (std::int64_t t = 0; t < batch.length && segments[t] != Batch::kPadding; ++t) {
      if (t == 0 || segments[t] != segments[t - 1]) result.push_back({row, segments[t], t, t});
      result.back().end = t + 1;
    }
  }
  return result;
}

std::vector<SegmentScore> scores_of(const Batch& batch, std::span<const float> token_scores) {
  check(token_scores.size() == batch.targets.size(), "every position of a batch has a score");
  std::vector<SegmentScore> result;
  std::int64_t tokens = 0;
  for (const Segment& segment : segments_of(batch)) {
    SegmentScore score{.row = segment.row, .segment = segment.number};
    for (std::int64_t t = segment.begin; t < segment.end; ++t) {
      const auto at = static_cast<std::size_t>(segment.row * batch.length + t);
      if (batch.targets[at] < 0) continue;
      score.nats += static_cast<double>(token_scores[at]);
      ++score.tokens;
    }
    tokens += score.tokens;
    result.push_back(score);
  }
  const auto in_loss = [](std::int32_t target) { return target >= 0; };
  check(tokens == std::count_if(batch.targets.begin(), batch.targets.end(), in_loss),
        "every position in the loss lies in a segment");
  return result;
}

}  // namespace dipaco
