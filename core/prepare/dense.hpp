#pragma once

#include <string_view>
#include <vector>

#include "core/prepare/preparation.hpp"

namespace dipaco {

/// Trains `state` on all train documents as one model, `count` inner steps from where it stands, in slices, so that
/// progress is told under the name `stage`. The slices change no bit.
void train_densely(const Preparation& preparation, const Corpus& corpus, std::string_view stage, InnerSteps count,
                   TrainState& state);

}  // namespace dipaco
