#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/data/batch.hpp"
#include "core/data/token_file.hpp"
#include "core/eval/score.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// Some consecutive tokens of a document, and where they lie in a batch.
struct PlacedPiece {
  std::size_t document = 0;  ///< its place in the list of documents
  std::int64_t first = 0;    ///< token of the document
  std::int64_t begin = 0;    ///< element of the batch's arrays that holds it
  std::int64_t count = 0;    ///< tokens
};

struct PlacedBatch {
  Batch batch;
  std::vector<PlacedPiece> pieces;  ///< by row and segment
};

/// The batches of pack_for_evaluation, the same that score_documents scores, with the place of every piece.
/// REQUIRES that no document comes twice.
std::vector<PlacedBatch> place_documents(const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                         const ScoreOptions& options);

/// Loss of every token of each document under `parameters` in nats, -S_ijp of §7.2.2: [documents][tokens], 0 for the
/// tokens of the prefix. A token's context is that of score_documents: what lies before it in its piece.
/// REQUIRES that no document comes twice. Memory: 4 bytes a token.
/// @throws DataError where a loss is not finite, naming the document.
std::vector<std::vector<float>> token_losses(const Trainer& trainer, std::span<const float> parameters,
                                             const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                             const ScoreOptions& options);

}  // namespace dipaco
