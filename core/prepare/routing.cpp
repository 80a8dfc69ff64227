#include "core/prepare/routing.hpp"

#include <cstddef>
#include <string>

#include "core/base/error.hpp"
#include "core/data/shard_reader.hpp"
#include "core/eval/side_by_side.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kRoutedAtATime = 4096;  // whose features are in memory
constexpr std::int64_t kRows = 64;            // of a batch of prefixes

}  // namespace

std::vector<float> features_of(const FeatureSource& source, std::span<const DocumentId> documents) {
  const auto batches = prefix_batches(source.tokens, {documents.begin(), documents.end()}, kRows, source.prefix);
  std::vector<std::vector<float>> parts(batches.size());
  side_by_side(batches.size(), source.threads, [&](std::size_t i) {
    parts[i] = source.trainer.features(source.parameters, batches[i], source.prefix);
  });
  std::vector<float> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<float> features_of(const FeatureSource& source, const Router& router,
                               std::span<const DocumentId> documents) {
  return router.width() > 0 ? features_of(source, documents) : std::vector<float>{};
}

std::vector<PathId> route_documents(const FeatureSource& source, const Router& router,
                                    std::span<const DocumentId> documents, std::int32_t best) {
  std::vector<PathId> routes;
  for (std::size_t first = 0; first < documents.size(); first += kRoutedAtATime) {
    const auto part = documents.subspan(first, std::min(kRoutedAtATime, documents.size() - first));
    std::vector<std::uint64_t> hashes;
    for (const DocumentId id : part) hashes.push_back(source.tokens.document(id).hash);
    const auto some = router.route(features_of(source, router, part), hashes, best);
    routes.insert(routes.end(), some.begin(), some.end());
  }
  return routes;
}

std::vector<Shard> make_shards(const TokenFile& tokens, const DataOptions& options, const Splits& splits,
                               const Routes& routes, std::int32_t paths) {
  const auto best = static_cast<std::size_t>(routes.best);
  check(
      routes.train.size() == splits.train.size() * best && routes.validation.size() == splits.validation.size() * best,
      "each document has its best paths");
  std::vector<Shard> shards(static_cast<std::size_t>(paths));
  const auto shard_of = [&](PathId path) -> Shard& { return shards[static_cast<std::size_t>(index(path))]; };
  for (std::size_t i = 0; i < splits.train.size(); ++i) {
    const DocumentId id = splits.train[i];
    if (in_holdout(tokens.document(id), options)) {
      shard_of(routes.train[i * best]).holdout.push_back(id);
      continue;
    }
    for (std::size_t j = 0; j < best; ++j) shard_of(routes.train[i * best + j]).train.push_back(id);
  }
  for (std::size_t i = 0; i < splits.validation.size(); ++i) {
    shard_of(routes.validation[i * best]).validation.push_back(splits.validation[i]);
  }
  return shards;
}

void require_documents(const std::vector<Shard>& shards) {
  for (std::size_t path = 0; path < shards.size(); ++path) {
    if (!shards[path].train.empty()) continue;
    throw ConfigError("path " + std::to_string(path) + " of " + std::to_string(shards.size()) +
                      " got no train document: have fewer paths in topology.levels, name more text in data.train, or "
                      "pretrain longer (pretrain.steps), so that the router tells documents apart");
  }
}

}  // namespace dipaco
