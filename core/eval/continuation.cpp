#include "core/eval/continuation.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/eval/token_losses.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kContinuedAtATime = 1024;  // whose token losses are in memory

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

}  // namespace

ContinuationTargets continuation_targets(const PathSet& set, const std::vector<DocumentId>& documents,
                                         std::int64_t look_ahead) {
  check(look_ahead > 0, "a path is chosen for some tokens");
  ContinuationTargets targets;
  std::vector<std::vector<double>> sums;
  for (const DocumentId id : documents) {
    targets.places.emplace(id, targets.places.size());
    const std::size_t count = set.tokens.document(id).tokens;
    sums.emplace_back(count);
    targets.paths.emplace_back(count, Batch::kNoTarget);
  }
  for (std::int32_t path = 0; path < set.paths; ++path) {
    const std::vector<float> parameters = set.parameters(PathId{path});
    for (std::size_t first = 0; first < documents.size(); first += kContinuedAtATime) {
      const auto part = std::span(documents).subspan(first, std::min(kContinuedAtATime, documents.size() - first));
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

RouterBatch router_batch(const ContinuationTargets& targets, const ShardReader& reader, InnerSteps step) {
  RouterBatch result{.batch = reader.batch(step), .paths = {}};
  result.paths.assign(result.batch.tokens.size(), Batch::kNoTarget);
  for (const Piece& piece : reader.pieces(step)) {
    const std::vector<std::int32_t>& paths = targets.paths[targets.places.at(piece.document)];
    const std::size_t begin = static_cast<std::size_t>(piece.row * result.batch.length + piece.column);
    const std::size_t behind = std::min<std::size_t>(piece.first + piece.count + 1, paths.size());  // none is last
    std::copy(paths.begin() + piece.first + 1, paths.begin() + static_cast<std::ptrdiff_t>(behind),
              result.paths.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  return result;
}

}  // namespace dipaco
