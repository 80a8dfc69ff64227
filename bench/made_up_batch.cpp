#include "bench/made_up_batch.hpp"

#include "core/base/random.hpp"

namespace dipaco {

Batch made_up_batch(const ModelOptions& model, std::int64_t rows, std::span<const std::int64_t> ends, InnerSteps step) {
  Batch batch{.rows = rows, .length = model.sequence, .tokens = {}, .targets = {}, .segments = {}, .positions = {}};
  const auto draw = [&](std::int64_t at) {
    return static_cast<std::int32_t>(draw_below(static_cast<std::uint64_t>(model.vocabulary), 1, Draw::shuffle,
                                                static_cast<std::uint64_t>(step.value),
                                                static_cast<std::uint64_t>(at)));
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t t = 0;
    for (std::size_t document = 0; document < ends.size(); ++document) {
      for (const std::int64_t begin = t; t < ends[document]; ++t) {
        const std::int64_t at = row * model.sequence + t, position = t - begin;
        batch.tokens.push_back(draw(at));
        batch.targets.push_back(position < 31 || t + 1 == ends[document] ? Batch::kNoTarget : draw(at + 1));
        batch.segments.push_back(static_cast<std::int32_t>(document));
        batch.positions.push_back(static_cast<std::int32_t>(position));
      }
    }
  }
  return batch;
}

}  // namespace dipaco
