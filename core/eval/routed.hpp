#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/data/token_file.hpp"
#include "core/eval/score.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The parameters of a path, [n] in the order of PathLayout. One path's are asked for at a time.
using PathParameters = std::function<std::vector<float>(PathId)>;

/// What documents are scored with when each goes to paths of its own.
struct PathSet {
  const Trainer& trainer;
  std::int32_t paths = 0;
  PathParameters parameters;
  const TokenFile& tokens;
  ScoreOptions score;
  std::function<void(PathId)> done{};  ///< after each path, for progress; may throw to stop. Empty: none
};

/// Each document under its path, once a document (§2.4): summed path by path, in the order of their numbers, and within
/// a path in the order of the documents, as a run sums its result. Only paths with documents are loaded.
/// @param routes  [documents]
/// @throws DataError where a loss is not finite
DocumentScores score_on_paths(const PathSet& set, const std::vector<DocumentId>& documents,
                              const std::vector<PathId>& routes);

/// How documents spread over paths.
struct RouteShares {
  std::vector<std::int64_t> documents;  ///< [P] that go to each path

  std::int64_t total() const;
  double share(std::int32_t path) const;  ///< of all documents. REQUIRES that there are some
  double entropy() const;                 ///< -sum of share x ln share, in nats: 0 where all go to one path
  double effective_paths() const;         ///< exp(entropy): as many equal paths would be as uneven
};

RouteShares route_shares(std::span<const PathId> routes, std::int32_t paths);

/// Scores by domain: [domains of the token file]. @param nats  [documents]
std::vector<Score> score_by_domain(const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                   const std::vector<double>& nats);

}  // namespace dipaco
