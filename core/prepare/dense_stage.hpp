#pragma once

#include <optional>

#include "core/prepare/preparation.hpp"
#include "core/prepare/stage.hpp"

namespace dipaco {

/// What DiPaCo is compared with, on all validation documents.
struct DenseScores {
  Score start;
  std::optional<Score> equal_steps;  ///< the start trained on densely for steps_of_a_path
};

/// Stage `dense`. It depends on no router and of the topology on the number of paths alone, and that only where a share
/// of them is drawn: other runs share it.
Stage dense_stage(const Preparation& preparation, const Stage& start, const Corpus& corpus, std::int32_t paths,
                  const TrainState& state);

/// @throws DataError
DenseScores open_dense(const Stage& stage);

}  // namespace dipaco
