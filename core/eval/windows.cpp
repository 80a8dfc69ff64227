#include "core/eval/windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/data/piece.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/eval/token_losses.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kWindowedAtATime = 1024;  // whose batches or token losses are in memory

/// Consecutive tokens of a document that the router runs, and where it is asked.
struct Stretch {
  std::size_t document = 0;         ///< place in the list of documents
  std::size_t chunk = 0;            ///< whose path the first answer chooses; the next answers' are the next
  std::int64_t first = 0;           ///< token
  std::vector<std::int64_t> asked;  ///< tokens, ascending; the last ends it

  std::int64_t count() const { return asked.back() - first + 1; }
};

/// A stretch begins every half row, and the earlier of two answers: it has read half a row at least.
std::int64_t begin_of_stretch(std::int64_t asked, std::int64_t sequence) {
  const std::int64_t half = std::max<std::int64_t>(1, sequence / 2);
  return std::max<std::int64_t>(0, asked / half - 1) * half;
}

std::vector<Stretch> stretches_of(const std::vector<std::int64_t>& at, std::int64_t sequence) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::int64_t asked = at[i] - 1;
    const std::int64_t first = begin_of_stretch(asked, sequence);
    if (stretches.empty() || stretches.back().first != first) {
      stretches.push_back({.document = 0, .chunk = i + 1, .first = first, .asked = {}});
    }
    stretches.back().asked.push_back(asked);
  }
  return stretches;
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

/// Some documents and their paths, chunk by chunk.
struct Part {
  std::span<const DocumentId> documents;
  std::span<std::vector<PathId>> paths;
};

/// Asks the router in some stretches, a row each.
void route_stretches(const TransformerRouter& router, const TokenFile& tokens, std::span<const Stretch> stretches,
                     const ScoreOptions& score, const Part& part) {
  Batch batch = empty_batch(std::ssize(stretches), score.sequence);
  std::vector<std::int64_t> positions;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const Stretch& stretch = stretches[static_cast<std::size_t>(row)];
    put_piece(batch, tokens,
              {.document = part.documents[stretch.document],
               .first = static_cast<std::uint32_t>(stretch.first),
               .count = static_cast<std::uint32_t>(stretch.count()),
               .row = row},
              score.prefix);
    for (const std::int64_t asked : stretch.asked) positions.push_back(row * batch.length + asked - stretch.first);
  }
  const auto logits = router.trainer.router_logits(router.parameters, router.paths, batch, positions);
  const auto width = static_cast<std::size_t>(router.paths);
  std::size_t answer = 0;
  for (const Stretch& stretch : stretches) {
    for (std::size_t i = 0; i < stretch.asked.size(); ++i, ++answer) {
      part.paths[stretch.document][stretch.chunk + i] =
          best_path(std::span(logits).subspan(answer * width, width), part.documents[stretch.document]);
    }
  }
}

/// Puts the path of every chunk but the first in its place. @returns the positions that the router ran
std::int64_t route_part(const TransformerRouter& router, const TokenFile& tokens, std::int64_t window,
                        const ScoreOptions& score, const Part& part) {
  std::vector<Stretch> stretches;
  std::int64_t positions = 0;
  for (std::size_t i = 0; i < part.documents.size(); ++i) {
    const auto at = boundaries(tokens.document(part.documents[i]).tokens, score.prefix, window);
    for (Stretch& stretch : stretches_of(at, score.sequence)) {
      stretch.document = i;
      positions += stretch.count();
      stretches.push_back(std::move(stretch));
    }
  }
  const auto rows = static_cast<std::size_t>(score.rows);
  side_by_side((stretches.size() + rows - 1) / rows, score.threads, [&](std::size_t batch) {
    const std::size_t first = batch * rows;
    const std::size_t count = std::min(rows, stretches.size() - first);
    route_stretches(router, tokens, std::span(stretches).subspan(first, count), score, part);
  });
  return positions;
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
    const auto at = boundaries(tokens.document(documents[i]).tokens, score.prefix, window);
    routes.paths.emplace_back(at.size() + 1, first[i]);
  }
  for (std::size_t begin = 0; begin < documents.size(); begin += kWindowedAtATime) {
    const std::size_t count = std::min(kWindowedAtATime, documents.size() - begin);
    routes.positions += route_part(router, tokens, window, score,
                                   {.documents = std::span(documents).subspan(begin, count),
                                    .paths = std::span(routes.paths).subspan(begin, count)});
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
