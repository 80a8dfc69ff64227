#include "core/eval/score.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/base/error.hpp"
#include "core/data/shard_reader.hpp"
#include "core/eval/side_by_side.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kDocumentsAtATime = 4096;  // whose batches are in memory; a constant, so that it changes no bit

/// The loss and the tokens in it of one batch; the rest is known without a trainer.
Score score_batch(const Trainer& trainer, std::span<const float> parameters, const EvaluationBatch& batch) {
  const std::vector<SegmentScore> segments = trainer.scores(parameters, batch.batch);
  check(segments.size() == batch.pieces.size(), "a trainer scores every segment of a batch");
  Score score;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const EvaluationPiece& piece = batch.pieces[i];
    check(segments[i].row == piece.row && segments[i].segment == piece.segment, "scores come by row and segment");
    if (!std::isfinite(segments[i].nats)) {
      throw DataError("evaluation: the loss of document " + std::to_string(index(piece.document)) +
                      " is not finite: training has diverged; lower inner.learning_rate or outer.learning_rate");
    }
    score.nats += segments[i].nats;
    score.tokens += segments[i].tokens;
  }
  return score;
}

}  // namespace

Score& Score::operator+=(const Score& other) {
  nats += other.nats;
  tokens += other.tokens;
  bytes += other.bytes;
  documents += other.documents;
  return *this;
}

double Score::perplexity() const {
  check(tokens > 0, "a perplexity is over tokens");
  return std::exp(nats / static_cast<double>(tokens));
}

double Score::bits_per_byte() const {
  check(bytes > 0, "bits per byte are over bytes");
  return nats / std::numbers::ln2 / static_cast<double>(bytes);
}

Score score_documents(const Trainer& trainer, std::span<const float> parameters, const TokenFile& tokens,
                      const std::vector<DocumentId>& documents, const ScoreOptions& options) {
  check(tokens.prefix() == options.prefix, "a token file counts the bytes of the prefix that is left out");
  check(options.rows > 0 && options.sequence > 0, "an evaluation batch has rows of some length");
  Score total;
  for (std::size_t first = 0; first < documents.size(); first += kDocumentsAtATime) {
    const auto begin = documents.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = std::min(kDocumentsAtATime, documents.size() - first);
    const std::vector<EvaluationBatch> batches = pack_for_evaluation(
        tokens, {begin, begin + static_cast<std::ptrdiff_t>(count)}, options.rows, options.sequence, options.prefix);
    std::vector<Score> scores(batches.size());
    side_by_side(batches.size(), options.threads,
                 [&](std::size_t i) { scores[i] = score_batch(trainer, parameters, batches[i]); });
    for (const Score& score : scores) total += score;
  }
  for (const DocumentId id : documents) {
    const DocumentRecord& document = tokens.document(id);
    total.bytes += document.bytes - document.prefix_bytes;
    ++total.documents;
  }
  return total;
}

}  // namespace dipaco
