#include "core/eval/token_losses.hpp"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/data/shard_reader.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/trainer/segments.hpp"

namespace dipaco {

std::vector<PlacedBatch> place_documents(const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                         const ScoreOptions& options) {
  std::map<DocumentId, std::size_t> places;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    check(places.emplace(documents[i], i).second, "a document is placed once");
  }
  std::vector<std::int64_t> whole(documents.size());  // pieces of a row's length met so far
  std::vector<PlacedBatch> placed;
  for (EvaluationBatch& batch :
       pack_for_evaluation(tokens, documents, options.rows, options.sequence, options.prefix)) {
    PlacedBatch& to = placed.emplace_back();
    const std::vector<Segment> segments = segments_of(batch.batch);
    check(segments.size() == batch.pieces.size(), "each segment is a piece");
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const std::int64_t count = segments[i].end - segments[i].begin;
      const std::size_t document = places.at(batch.pieces[i].document);
      // A piece that fills a row gets the next empty one, so a document's come in order; the shorter one is its last.
      const std::int64_t before = count == options.sequence
                                      ? whole[document]++
                                      : tokens.document(documents[document]).tokens / options.sequence;
      to.pieces.push_back({.document = document,
                           .first = before * options.sequence,
                           .begin = segments[i].row * batch.batch.length + segments[i].begin,
                           .count = count});
    }
    to.batch = std::move(batch.batch);
  }
  return placed;
}

std::vector<std::vector<float>> token_losses(const Trainer& trainer, std::span<const float> parameters,
                                             const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                             const ScoreOptions& options) {
  std::vector<std::vector<float>> losses;
  for (const DocumentId id : documents) losses.emplace_back(tokens.document(id).tokens);
  const std::vector<PlacedBatch> batches = place_documents(tokens, documents, options);
  side_by_side(batches.size(), options.threads, [&](std::size_t i) {
    const PlacedBatch& batch = batches[i];
    const std::vector<float> scores = trainer.token_scores(parameters, batch.batch);
    for (const PlacedPiece& piece : batch.pieces) {
      std::vector<float>& to = losses[piece.document];  // each token is one batch's: no two threads meet
      for (std::int64_t t = 0; t < piece.count; ++t) {
        const auto at = static_cast<std::size_t>(piece.begin + t);
        if (batch.batch.targets[at] == Batch::kNoTarget) continue;
        if (!std::isfinite(scores[at])) {
          throw DataError("evaluation: the loss of document " + std::to_string(index(documents[piece.document])) +
                          " is not finite: training has diverged; lower inner.learning_rate or outer.learning_rate");
        }
        to[static_cast<std::size_t>(piece.first + t + 1)] = scores[at];  // position t foretells the token behind it
      }
    }
  });
  return losses;
}

}  // namespace dipaco
