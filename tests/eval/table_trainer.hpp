#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/data/token_file.hpp"
#include "core/trainer/trainer.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco::testing {

/// A trainer whose parameters are the loss of each token, whatever comes before it, and whose router says path
/// token modulo path_count. The rest is the toy trainer's.
class TableTrainer final : public ToyTrainer {
 public:
  std::vector<float> token_scores(std::span<const float> parameters, const Batch& batch) const override {
    std::vector<float> scores(batch.targets.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (batch.targets[i] != Batch::kNoTarget) scores[i] = parameters[static_cast<std::size_t>(batch.targets[i])];
    }
    return scores;
  }

  std::vector<float> router_logits(std::span<const float>, std::int32_t path_count, const Batch& batch,
                                   std::span<const std::int64_t> positions) const override {
    std::vector<float> logits;
    for (const std::int64_t at : positions) {
      const std::int32_t says = batch.tokens[static_cast<std::size_t>(at)] % path_count;
      for (std::int32_t path = 0; path < path_count; ++path) logits.push_back(path == says ? 1.0F : 0.0F);
    }
    return logits;
  }
};

/// Documents of these lengths, whose tokens are below `vocabulary`.
inline std::vector<std::vector<std::int32_t>> documents_of(const std::vector<int>& lengths, int vocabulary) {
  std::vector<std::vector<std::int32_t>> documents;
  for (const int length : lengths) {
    std::vector<std::int32_t>& tokens = documents.emplace_back();
    for (int j = 0; j < length; ++j) tokens.push_back((7 * j * j + 3 * j + length) % vocabulary);
  }
  return documents;
}

inline std::vector<DocumentId> all_documents(const TokenFile& tokens) {
  std::vector<DocumentId> ids;
  for (std::uint32_t i = 0; i < tokens.documents().size(); ++i) ids.push_back(DocumentId{i});
  return ids;
}

}  // namespace dipaco::testing
