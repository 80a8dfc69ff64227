#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/options.hpp"
#include "core/data/split.hpp"
#include "core/data/token_file.hpp"
#include "core/prepare/prepared.hpp"
#include "core/routing/router.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// What documents' features are computed from: the dense start (§2.4.1), and their first `prefix` tokens.
/// Borrows all of it.
struct FeatureSource {
  const Trainer& trainer;
  std::span<const float> parameters;  ///< [n] in the trainer's order
  const TokenFile& tokens;
  std::int64_t prefix = 0;  ///< tokens, at least 1
  int threads = 1;          ///< changes no bit
};

/// g(document) of each (Trainer::features): [documents, hidden], row-major.
std::vector<float> features_of(const FeatureSource& source, std::span<const DocumentId> documents);

/// What the router looks at: [documents, router.width()]; empty for a router of width 0, for which nothing is computed.
std::vector<float> features_of(const FeatureSource& source, const Router& router,
                               std::span<const DocumentId> documents);

/// The `best` paths of each document, best first: [documents, best]. REQUIRES that the router was fitted to features
/// from the same source.
std::vector<PathId> route_documents(const FeatureSource& source, const Router& router,
                                    std::span<const DocumentId> documents, std::int32_t best);

/// What the best paths of documents make of them: [documents, best], best first.
struct Routes {
  std::int32_t best = 0;
  std::vector<PathId> train;       ///< of Splits::train
  std::vector<PathId> validation;  ///< of Splits::validation
};

/// Each path's documents: a train document goes to all its best paths, hold-outs and validation documents to the first
/// alone (§2.4.4: nothing overlaps at evaluation; Choice for the hold-outs).
/// A path that no document goes to has an empty shard.
/// @throws std::logic_error unless `routes` has the best paths of every document of `splits`
std::vector<Shard> make_shards(const TokenFile& tokens, const DataOptions& options, const Splits& splits,
                               const Routes& routes, std::int32_t paths);

/// @throws ConfigError where a path is left without a train document, saying what to do
void require_documents(const std::vector<Shard>& shards);

}  // namespace dipaco
