#include "core/prepare/shards_stage.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/named.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/prepare/keys.hpp"
#include "core/prepare/routing.hpp"
#include "core/prepare/shard_file.hpp"
#include "core/routing/router.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRouterFile = "router.bin";
constexpr const char* kShardsFile = "shards.bin";
constexpr std::size_t kDocumentsAReport = 4096;  // between two reports of progress

/// Works through documents part by part and tells how far it is.
class Parts {
 public:
  Parts(const Preparation& preparation, std::size_t total) : preparation_(preparation), total_(total) {}

  template <class Visit>
  void each(std::span<const DocumentId> documents, Visit visit) {
    for (std::size_t first = 0; first < documents.size(); first += kDocumentsAReport) {
      const auto part = documents.subspan(first, std::min(kDocumentsAReport, documents.size() - first));
      visit(part);
      done_ += part.size();
      preparation_.tell("features", static_cast<std::int64_t>(done_), static_cast<std::int64_t>(total_));
    }
  }

 private:
  const Preparation& preparation_;
  std::size_t total_;
  std::size_t done_ = 0;
};

const RoutingMethod& routing_method(const RunConfig& config) {
  return find_named(config.parts->routers, config.routing.method, "routing.method");
}

RouterFit router_fit(const Preparation& preparation, std::int32_t paths) {
  const RunConfig& config = preparation.config;
  return {.paths = paths,
          .width = config.model.hidden,
          .seed = config.run.seed,
          .levels = grid_of(config.topology),
          .side_by_side = on_threads(preparation.options.threads)};
}

std::unique_ptr<Router> fit(const Preparation& preparation, const FeatureSource& source,
                            std::span<const DocumentId> documents, std::int32_t paths, Parts& parts) {
  std::vector<float> all;
  parts.each(documents, [&](std::span<const DocumentId> part) {
    const auto some = features_of(source, part);
    all.insert(all.end(), some.begin(), some.end());
  });
  return fit_router(all, router_fit(preparation, paths), preparation.config.routing, preparation.trainer,
                    preparation.config.parts->routers);
}

/// Whose features the router is fitted to.
std::span<const DocumentId> fitted_documents(const Preparation& preparation, const Corpus& corpus) {
  if (!routing_method(preparation.config).features) return {};
  return corpus.splits.router;
}

void require_overlap(const RoutingOptions& routing, std::int32_t paths) {
  if (routing.overlap >= 1 && routing.overlap <= paths) return;
  throw ConfigError("routing.overlap=" + std::to_string(routing.overlap) + ": a document goes to 1 to " +
                    std::to_string(paths) + " paths of this topology");
}

std::string shards_keys(const Preparation& preparation, const Stage& start, std::int32_t paths) {
  const RunConfig& config = preparation.config;
  const RoutingMethod& method = routing_method(config);
  Keys keys;
  keys.add("format", 3)
      .add("start", start.hash)
      .add("precision", config.inner.precision)
      .add("paths", paths)
      .add("data.holdout_fraction", config.data.holdout_fraction)
      .add("data.validation_documents", config.data.validation_documents)
      .add("data.validation_fraction", config.data.validation.empty() ? config.data.validation_fraction : 0.0)
      .add("routing.method", config.routing.method)
      .add("routing.overlap", config.routing.overlap)
      .add("routing.router_fraction", config.routing.router_fraction)
      .add("run.seed", config.run.seed)
      .add("topology.levels", method.grid ? config.topology.levels : "")
      .add("routing.calibrate_bias", method.bias && config.routing.calibrate_bias ? 1 : 0);
  if (!method.constants.empty()) keys.add("constants of the router", method.constants);
  return keys.text();
}

}  // namespace

std::size_t router_minimum(std::int32_t paths) {
  constexpr std::size_t kDocumentsAPath = 100;  // k-means' means then err by a tenth of a cluster's deviation
  return kDocumentsAPath * static_cast<std::size_t>(paths);
}

void require_routing(const Preparation& preparation, const Corpus& corpus, std::int32_t paths) {
  const RoutingOptions& routing = preparation.config.routing;
  require_overlap(routing, paths);
  require_router_documents(corpus.splits.router.size(), router_fit(preparation, paths), routing,
                           preparation.config.parts->routers);
}

Stage shards_stage(const Preparation& preparation, const Stage& start, const Corpus& corpus, std::int32_t paths,
                   std::span<const float> parameters) {
  const StageRequest request{.name = "shards", .keys = shards_keys(preparation, start, paths)};
  return open_stage(preparation.options.cache, request, [&](const fs::path& folder) {
    const Splits& splits = corpus.splits;
    const RunConfig& config = preparation.config;
    const FeatureSource source{preparation.trainer, parameters, *corpus.tokens, config.routing.prefix,
                               preparation.options.threads};
    const auto fitted = fitted_documents(preparation, corpus);
    Parts parts(preparation, fitted.size() + splits.train.size() + splits.validation.size());
    const std::unique_ptr<Router> router = fit(preparation, source, fitted, paths, parts);
    Routes routes{.best = static_cast<std::int32_t>(config.routing.overlap)};
    const auto route = [&](const std::vector<DocumentId>& documents, std::vector<PathId>& to) {
      parts.each(documents, [&](std::span<const DocumentId> part) {
        const auto some = route_documents(source, *router, part, routes.best);
        to.insert(to.end(), some.begin(), some.end());
      });
    };
    route(splits.train, routes.train);
    route(splits.validation, routes.validation);
    const std::vector<Shard> shards = make_shards(*corpus.tokens, config.data, splits, routes, paths);
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
