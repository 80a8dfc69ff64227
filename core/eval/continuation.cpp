#include "core/eval/continuation.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/eval/token_losses.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kDocumentsAtATime = 1024;       // whose token losses are in memory
constexpr std::uint64_t kRouterStream = 1ULL << 40U;  // above the streams of all shards

/// Of one document, token by token.
struct Least {
  std::vector<double>& sums;         ///< the least so far
  std::vector<std::int32_t>& paths;  ///< whose they are, or Batch::kNoTarget before the first
};

/// Compares one path's sums over the tokens ahead with the least so far.
void compare(const std::vector<float>& losses, std::size_t prefix, std::size_t look_ahead, std::int32_t path,
             const Least& least) {
  std::vector<double> until(losses.size() + 1);  // sum of the losses before each token
  for (std::size_t j = 0; j < losses.size(); ++j) until[j + 1] = until[j] + static_cast<double>(losses[j]);
  for (std::size_t j = prefix; j < losses.size(); ++j) {
    const double sum = until[std::min(losses.size(), j + look_ahead)] - until[j];
    if (least.paths[j] != Batch::kNoTarget && least.sums[j] <= sum) continue;
    least.sums[j] = sum;
    least.paths[j] = path;
  }
}

/// Places of the documents of one step, until their tokens would fill the rows.
std::vector<std::size_t> drawn_documents(const TokenFile& tokens, const ContinuationTargets& targets,
                                         const ReaderOptions& options, InnerSteps step) {
  std::set<std::uint64_t> drawn;
  std::vector<std::size_t> places;
  const std::uint64_t all = targets.documents.size();
  std::int64_t positions = 0;
  for (std::uint64_t i = 0; positions < options.rows * options.length && drawn.size() < all; ++i) {
    std::uint64_t at =
        draw_below(all, options.seed, Draw::shuffle, kRouterStream + static_cast<std::uint64_t>(step.value), i);
    while (!drawn.insert(at).second) at = (at + 1) % all;
    places.push_back(at);
    positions += tokens.document(targets.documents[at]).tokens;
  }
  return places;
}

}  // namespace

ContinuationTargets continuation_targets(const PathSet& set, const std::vector<DocumentId>& documents,
                                         std::int64_t look_ahead) {
  check(look_ahead > 0, "a path is chosen for some tokens");
  ContinuationTargets targets{.documents = documents, .paths = {}};
  std::vector<std::vector<double>> sums;
  for (const DocumentId id : documents) {
    const std::size_t count = set.tokens.document(id).tokens;
    sums.emplace_back(count);
    targets.paths.emplace_back(count, Batch::kNoTarget);
  }
  for (std::int32_t path = 0; path < set.paths; ++path) {
    const std::vector<float> parameters = set.parameters(PathId{path});
    for (std::size_t first = 0; first < documents.size(); first += kDocumentsAtATime) {
      const auto part = std::span(documents).subspan(first, std::min(kDocumentsAtATime, documents.size() - first));
      const auto losses = token_losses(set.trainer, parameters, set.tokens, {part.begin(), part.end()}, set.score);
      for (std::size_t i = 0; i < losses.size(); ++i) {
        compare(losses[i], static_cast<std::size_t>(set.score.prefix), static_cast<std::size_t>(look_ahead), path,
                {sums[first + i], targets.paths[first + i]});
      }
    }
    if (set.done) set.done(PathId{path});
  }
  return targets;
}

RouterBatch router_batch(const TokenFile& tokens, const ContinuationTargets& targets, const ReaderOptions& options,
                         InnerSteps step) {
  const std::vector<std::size_t> places = drawn_documents(tokens, targets, options, step);
  std::vector<DocumentId> documents;
  for (const std::size_t place : places) documents.push_back(targets.documents[place]);
  auto placed =
      place_documents(tokens, documents, {.rows = options.rows, .sequence = options.length, .prefix = options.prefix});
  check(!placed.empty(), "there are router documents");
  RouterBatch result{.batch = std::move(placed.front().batch), .paths = {}};
  result.paths.assign(result.batch.tokens.size(), Batch::kNoTarget);
  for (const PlacedPiece& piece : placed.front().pieces) {
    const std::vector<std::int32_t>& paths = targets.paths[places[piece.document]];
    const std::int64_t last = static_cast<std::int64_t>(paths.size()) - 1 - piece.first;  // nothing comes behind it
    for (std::int64_t t = 0; t < std::min(piece.count, last); ++t) {
      result.paths[static_cast<std::size_t>(piece.begin + t)] = paths[static_cast<std::size_t>(piece.first + t + 1)];
    }
  }
  return result;
}

}  // namespace dipaco
