#pragma once

#include <string_view>
#include <vector>

#include "core/prepare/preparation.hpp"

namespace dipaco {

/// What a dense model trains on: the train documents but the hold-outs, which judge the paths that go on from it
/// (§2.7).
std::vector<DocumentId> dense_documents(const Corpus& corpus, const DataOptions& options);

/// How far a dense model is trained.
struct DenseSteps {
  InnerSteps count;
  InnerSteps cosine_end;  ///< where the learning rate's cosine ends
};

/// Trains `state` on dense_documents as one model, from where it stands, in slices, so that progress is told under
/// the name `stage`. The slices change no bit.
void train_densely(const Preparation& preparation, const Corpus& corpus, std::string_view stage,
                   const DenseSteps& steps, TrainState& state);

}  // namespace dipaco
