#include "core/prepare/shards_stage.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/data/shard_reader.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/prepare/keys.hpp"
#include "core/prepare/shard_file.hpp"
#include "core/routing/router.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRouterFile = "router.bin";
constexpr const char* kShardsFile = "shards.bin";
constexpr std::size_t kDocumentsAtATime = 4096;  // whose features are in memory, but for the router documents
constexpr std::int64_t kRows = 64;               // of a batch of prefixes

/// Computes documents' features under the start and tells how far it is.
class Features {
 public:
  Features(const Preparation& preparation, const Corpus& corpus, std::span<const float> parameters, std::size_t total)
      : preparation_(preparation), corpus_(corpus), parameters_(parameters), total_(total) {}

  /// [documents, hidden]
  std::vector<float> of(std::span<const DocumentId> documents) {
    const std::int64_t prefix = preparation_.config.routing.prefix;
    const auto batches = prefix_batches(*corpus_.tokens, {documents.begin(), documents.end()}, kRows, prefix);
    std::vector<std::vector<float>> parts(batches.size());
    side_by_side(batches.size(), preparation_.options.threads,
                 [&](std::size_t i) { parts[i] = preparation_.trainer.features(parameters_, batches[i], prefix); });
    std::vector<float> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    check(all.size() == documents.size() * static_cast<std::size_t>(preparation_.config.model.hidden),
          "a document has one feature of the model's width");
    done_ += documents.size();
    preparation_.tell("features", static_cast<std::int64_t>(done_), static_cast<std::int64_t>(total_));
    return all;
  }

 private:
  const Preparation& preparation_;
  const Corpus& corpus_;
  std::span<const float> parameters_;
  std::size_t total_;
  std::size_t done_ = 0;
};

/// Calls visit(part) for parts of at most kDocumentsAtATime documents.
template <class Visit>
void for_each_part(std::span<const DocumentId> documents, Visit visit) {
  for (std::size_t first = 0; first < documents.size(); first += kDocumentsAtATime) {
    visit(documents.subspan(first, std::min(kDocumentsAtATime, documents.size() - first)));
  }
}

std::unique_ptr<Router> fit(const Preparation& preparation, const Corpus& corpus, std::int32_t paths,
                            Features& features) {
  const RunConfig& config = preparation.config;
  std::vector<float> all;
  for_each_part(corpus.splits.router, [&](std::span<const DocumentId> part) {
    const auto some = features.of(part);
    all.insert(all.end(), some.begin(), some.end());
  });
  return fit_router(all, {.paths = paths, .width = config.model.hidden, .seed = config.run.seed}, config.routing,
                    preparation.trainer);
}

/// Calls visit(document, its best paths) for each document.
template <class Visit>
void route_each(const Corpus& corpus, const Router& router, Features& features, std::span<const DocumentId> documents,
                std::int32_t best, Visit visit) {
  for_each_part(documents, [&](std::span<const DocumentId> part) {
    std::vector<std::uint64_t> hashes;
    for (const DocumentId id : part) hashes.push_back(corpus.tokens->document(id).hash);
    const std::vector<PathId> routes = router.route(features.of(part), hashes, best);
    const auto n = static_cast<std::size_t>(best);
    for (std::size_t i = 0; i < part.size(); ++i) visit(part[i], std::span(routes).subspan(i * n, n));
  });
}

std::vector<Shard> route_all(const Preparation& preparation, const Corpus& corpus, const Router& router,
                             Features& features) {
  std::vector<Shard> shards(static_cast<std::size_t>(router.paths()));
  const auto shard_of = [&](PathId path) -> Shard& { return shards[static_cast<std::size_t>(index(path))]; };
  const auto overlap = static_cast<std::int32_t>(preparation.config.routing.overlap);
  route_each(corpus, router, features, corpus.splits.train, overlap, [&](DocumentId id, std::span<const PathId> best) {
    if (in_holdout(corpus.tokens->document(id), preparation.config.data)) {
      shard_of(best[0]).holdout.push_back(id);
    } else {
      for (const PathId path : best) shard_of(path).train.push_back(id);
    }
  });
  route_each(corpus, router, features, corpus.splits.validation, 1,
             [&](DocumentId id, std::span<const PathId> best) { shard_of(best[0]).validation.push_back(id); });
  return shards;
}

void require_documents(const std::vector<Shard>& shards) {
  for (std::size_t path = 0; path < shards.size(); ++path) {
    if (shards[path].size() > 0) continue;
    throw ConfigError("path " + std::to_string(path) + " of " + std::to_string(shards.size()) +
                      " got no train document: have fewer paths in topology.levels, name more text in data.train, or "
                      "pretrain longer (pretrain.steps), so that the router tells documents apart");
  }
}

void require_overlap(const RoutingOptions& routing, std::int32_t paths) {
  if (routing.overlap >= 1 && routing.overlap <= paths) return;
  throw ConfigError("routing.overlap=" + std::to_string(routing.overlap) + ": a document goes to 1 to " +
                    std::to_string(paths) + " paths of this topology");
}

std::string shards_keys(const Preparation& preparation, const Stage& start, std::int32_t paths) {
  const RunConfig& config = preparation.config;
  return Keys()
      .add("format", 1)
      .add("start", start.hash)
      .add("paths", paths)
      .add("data.holdout_fraction", config.data.holdout_fraction)
      .add("data.validation_documents", config.data.validation_documents)
      .add("data.validation_fraction", config.data.validation.empty() ? config.data.validation_fraction : 0.0)
      .add("routing.method", config.routing.method)
      .add("routing.overlap", config.routing.overlap)
      .add("routing.router_fraction", config.routing.router_fraction)
      .add("run.seed", config.run.seed)
      .text();
}

}  // namespace

std::size_t router_minimum(std::int32_t paths) {
  constexpr std::size_t kDocumentsAPath = 100;  // k-means' means then err by a tenth of a cluster's deviation
  return kDocumentsAPath * static_cast<std::size_t>(paths);
}

Stage shards_stage(const Preparation& preparation, const Stage& start, const Corpus& corpus, std::int32_t paths,
                   std::span<const float> parameters) {
  require_overlap(preparation.config.routing, paths);
  const StageRequest request{.name = "shards", .keys = shards_keys(preparation, start, paths)};
  return open_stage(preparation.options.cache, request, [&](const fs::path& folder) {
    const Splits& splits = corpus.splits;
    Features features(preparation, corpus, parameters,
                      splits.router.size() + splits.train.size() + splits.validation.size());
    const std::unique_ptr<Router> router = fit(preparation, corpus, paths, features);
    const std::vector<Shard> shards = route_all(preparation, corpus, *router, features);
    require_documents(shards);
    write_file(folder / kRouterFile, router->encode());
    write_file(folder / kShardsFile, encode_shards(shards));
  });
}

std::vector<Shard> open_shards(const Stage& stage, const Corpus& corpus, std::int32_t paths) {
  const fs::path file = stage.folder / kShardsFile;
  std::vector<Shard> shards = decode_shards(MappedFile(file).bytes(), corpus.tokens->documents().size(), file.string());
  check(shards.size() == static_cast<std::size_t>(paths), "the paths are among the stage's keys");
  return shards;
}

fs::path router_file(const Stage& stage) { return stage.folder / kRouterFile; }

}  // namespace dipaco
