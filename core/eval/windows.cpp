#include "core/eval/windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/base/error.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/eval/token_losses.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kWindowedAtATime = 1024;  // whose batches or token losses are in memory

/// Where a batch asks the router: just before a boundary of one of its pieces.
struct Questions {
  std::vector<std::int64_t> positions;  ///< elements of the batch
  std::vector<std::size_t> documents;   ///< place in the list of documents
  std::vector<std::size_t> chunks;      ///< whose path is chosen
};

Questions questions_of(const PlacedBatch& batch, const std::vector<std::vector<std::int64_t>>& at) {
  Questions questions;
  for (const PlacedPiece& piece : batch.pieces) {
    const auto& mine = at[piece.document];
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::int64_t before = mine[i] - 1 - piece.first;
      if (before < 0 || before >= piece.count) continue;
      questions.positions.push_back(piece.begin + before);
      questions.documents.push_back(piece.document);
      questions.chunks.push_back(i + 1);
    }
  }
  return questions;
}

/// Of each piece of `sequence` tokens those up to the last at which the router is asked.
std::int64_t router_positions(const std::vector<std::int64_t>& at, std::int64_t sequence) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const bool last = i + 1 == at.size() || (at[i + 1] - 1) / sequence != (at[i] - 1) / sequence;
    if (last) sum += (at[i] - 1) % sequence + 1;
  }
  return sum;
}

PathId best_path(std::span<const float> logits, DocumentId document) {
  if (!std::all_of(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); })) {
    throw DataError("routing: the transformer router's logits for document " + std::to_string(index(document)) +
                    " are not finite: its training has diverged; remove its file and lower inner.learning_rate");
  }
  return PathId{static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin())};
}

/// The documents that visit a path, as places in the list of documents.
std::vector<std::size_t> visitors(const WindowRoutes& routes, PathId path) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < routes.paths.size(); ++i) {
    const auto& mine = routes.paths[i];
    if (std::find(mine.begin(), mine.end(), path) != mine.end()) places.push_back(i);
  }
  return places;
}

/// Adds the losses of the chunks that the path is active in.
double active_nats(const std::vector<float>& losses, const std::vector<PathId>& chunks, PathId path,
                   std::int64_t prefix, std::int64_t window) {
  double nats = 0;
  for (std::size_t token = static_cast<std::size_t>(prefix); token < losses.size(); ++token) {
    const std::size_t chunk = (token - static_cast<std::size_t>(prefix)) / static_cast<std::size_t>(window);
    if (chunks[chunk] == path) nats += static_cast<double>(losses[token]);
  }
  return nats;
}

void score_visitors(const PathSet& set, const std::vector<DocumentId>& documents, const WindowRoutes& routes,
                    PathId path, std::vector<double>& nats) {
  const std::vector<std::size_t> places = visitors(routes, path);
  if (places.empty()) return;
  const std::vector<float> parameters = set.parameters(path);
  for (std::size_t first = 0; first < places.size(); first += kWindowedAtATime) {
    const std::span some = std::span(places).subspan(first, std::min(kWindowedAtATime, places.size() - first));
    std::vector<DocumentId> ids;
    for (const std::size_t i : some) ids.push_back(documents[i]);
    const auto losses = token_losses(set.trainer, parameters, set.tokens, ids, set.score);
    for (std::size_t k = 0; k < some.size(); ++k) {
      nats[some[k]] += active_nats(losses[k], routes.paths[some[k]], path, set.score.prefix, routes.window);
    }
  }
}

void count_document(const PathSet& set, const DocumentRecord& document, const std::vector<PathId>& chunks,
                    std::int64_t window, WindowScore& score) {
  const std::vector<std::int64_t> at = boundaries(document.tokens, set.score.prefix, window);
  check(chunks.size() == at.size() + 1, "each chunk of a document has its path");
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (chunks[i] == chunks[i + 1]) continue;
    ++score.switches;
    score.recomputed += (at[i] - 1) % set.score.sequence;  // positions of the piece before b - 1
  }
  score.positions += static_cast<std::int64_t>(document.tokens) - 1;
  score.total.tokens += std::max<std::int64_t>(0, static_cast<std::int64_t>(document.tokens) - set.score.prefix);
  score.total.bytes += document.bytes - document.prefix_bytes;
  ++score.total.documents;
}

/// Paths of some documents, chunk by chunk.
struct Part {
  std::int64_t window = 0;
  std::span<std::vector<PathId>> paths;
};

/// Puts the path of every chunk but the first in its place.
void route_part(const TransformerRouter& router, const TokenFile& tokens, std::span<const DocumentId> documents,
                const ScoreOptions& score, const Part& part) {
  std::vector<std::vector<std::int64_t>> at;
  for (const DocumentId id : documents) at.push_back(boundaries(tokens.document(id).tokens, score.prefix, part.window));
  const std::vector<PlacedBatch> batches = place_documents(tokens, {documents.begin(), documents.end()}, score);
  side_by_side(batches.size(), score.threads, [&](std::size_t i) {
    const Questions asked = questions_of(batches[i], at);
    if (asked.positions.empty()) return;
    const auto logits =
        router.trainer.router_logits(router.parameters, router.paths, batches[i].batch, asked.positions);
    const auto width = static_cast<std::size_t>(router.paths);
    for (std::size_t q = 0; q < asked.positions.size(); ++q) {
      part.paths[asked.documents[q]][asked.chunks[q]] =
          best_path(std::span(logits).subspan(q * width, width), documents[asked.documents[q]]);
    }
  });
}

}  // namespace

std::vector<std::int64_t> boundaries(std::int64_t tokens, std::int64_t prefix, std::int64_t window) {
  check(window > 0 && prefix > 0, "a window has tokens, and the first path is chosen by some");
  std::vector<std::int64_t> at;
  for (std::int64_t b = prefix + window; b < tokens; b += window) at.push_back(b);
  return at;
}

WindowRoutes route_windows(const TransformerRouter& router, const TokenFile& tokens,
                           const std::vector<DocumentId>& documents, const std::vector<PathId>& first,
                           std::int64_t window, const ScoreOptions& score) {
  check(documents.size() == first.size(), "each document has its first path");
  WindowRoutes routes{.window = window, .paths = {}, .positions = 0};
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::vector<std::int64_t> at = boundaries(tokens.document(documents[i]).tokens, score.prefix, window);
    routes.paths.emplace_back(at.size() + 1, first[i]);
    routes.positions += router_positions(at, score.sequence);
  }
  for (std::size_t begin = 0; begin < documents.size(); begin += kWindowedAtATime) {
    const std::size_t count = std::min(kWindowedAtATime, documents.size() - begin);
    route_part(router, tokens, std::span(documents).subspan(begin, count), score,
               {window, std::span(routes.paths).subspan(begin, count)});
  }
  return routes;
}

WindowScore score_windows(const PathSet& set, const std::vector<DocumentId>& documents, const WindowRoutes& routes) {
  check(documents.size() == routes.paths.size(), "each document has its paths");
  WindowScore score{.total = {}, .nats = std::vector<double>(documents.size())};
  for (std::size_t i = 0; i < documents.size(); ++i) {
    count_document(set, set.tokens.document(documents[i]), routes.paths[i], routes.window, score);
  }
  for (std::int32_t path = 0; path < set.paths; ++path) {
    score_visitors(set, documents, routes, PathId{path}, score.nats);
    if (set.done) set.done(PathId{path});
  }
  for (const double nats : score.nats) score.total.nats += nats;
  return score;
}

}  // namespace dipaco
