#include "core/eval/score.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "core/base/error.hpp"
#include "core/data/shard_reader.hpp"
#include "core/eval/side_by_side.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kScoredAtATime = 4096;  // whose batches are in memory; a constant, so that it changes no bit

/// What a trainer says of each piece of a batch, checked.
std::vector<SegmentScore> score_batch(const Trainer& trainer, std::span<const float> parameters,
                                      const EvaluationBatch& batch) {
  std::vector<SegmentScore> segments = trainer.scores(parameters, batch.batch);
  check(segments.size() == batch.pieces.size(), "a trainer scores every segment of a batch");
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const EvaluationPiece& piece = batch.pieces[i];
    check(segments[i].row == piece.row && segments[i].segment == piece.segment, "scores come by row and segment");
    if (!std::isfinite(segments[i].nats)) {
      throw DataError("evaluation: the loss of document " + std::to_string(index(piece.document)) +
                      " is not finite: training has diverged; lower inner.learning_rate or outer.learning_rate");
    }
  }
  return segments;
}

/// Calls visit(batch, its segments' scores) for every batch, in order.
template <class Visit>
void for_each_batch(const Trainer& trainer, std::span<const float> parameters, const TokenFile& tokens,
                    const std::vector<DocumentId>& documents, const ScoreOptions& options, Visit visit) {
  check(tokens.prefix() == options.prefix, "a token file counts the bytes of the prefix that is left out");
  check(options.rows > 0 && options.sequence > 0, "an evaluation batch has rows of some length");
  for (std::size_t first = 0; first < documents.size(); first += kScoredAtATime) {
    const auto begin = documents.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = std::min(kScoredAtATime, documents.size() - first);
    const std::vector<EvaluationBatch> batches =
        pack_for_evaluation(tokens, {begin, begin + static_cast<std::ptrdiff_t>(count)}, options.rows, options.sequence,
                            options.prefix, options.most);
    std::vector<std::vector<SegmentScore>> scores(batches.size());
    side_by_side(batches.size(), options.threads,
                 [&](std::size_t i) { scores[i] = score_batch(trainer, parameters, batches[i]); });
    for (std::size_t i = 0; i < batches.size(); ++i) visit(batches[i], scores[i]);
  }
}

void add_to(std::map<DocumentId, double>& sums, const EvaluationBatch& batch,
            const std::vector<SegmentScore>& segments) {
  for (std::size_t i = 0; i < segments.size(); ++i) sums[batch.pieces[i].document] += segments[i].nats;
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

std::optional<double> Score::bits_per_byte() const {
  if (bytes == 0) return std::nullopt;
  return nats / std::numbers::ln2 / static_cast<double>(bytes);
}

DocumentScores score_documents(const Trainer& trainer, std::span<const float> parameters, const TokenFile& tokens,
                               const std::vector<DocumentId>& documents, const ScoreOptions& options) {
  check(options.most == 0, "bytes are counted of whole documents");
  DocumentScores scores;
  std::map<DocumentId, double> sums;
  for_each_batch(trainer, parameters, tokens, documents, options,
                 [&](const EvaluationBatch& batch, const std::vector<SegmentScore>& segments) {
                   Score sum;
                   for (const SegmentScore& segment : segments) {
                     sum.nats += segment.nats;
                     sum.tokens += segment.tokens;
                   }
                   scores.total += sum;
                   add_to(sums, batch, segments);
                 });
  for (const DocumentId id : documents) {
    const DocumentRecord& document = tokens.document(id);
    scores.total.bytes += document.bytes - document.prefix_bytes;
    ++scores.total.documents;
    scores.nats.push_back(sums[id]);
  }
  return scores;
}

std::vector<double> score_each_document(const Trainer& trainer, std::span<const float> parameters,
                                        const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                        const ScoreOptions& options) {
  std::map<DocumentId, double> sums;
  for_each_batch(
      trainer, parameters, tokens, documents, options,
      [&](const EvaluationBatch& batch, const std::vector<SegmentScore>& segments) { add_to(sums, batch, segments); });
  std::vector<double> nats;
  for (const DocumentId id : documents) nats.push_back(sums[id]);
  return nats;
}

}  // namespace dipaco
