#include "core/prepare/shards_stage.hpp"

#include <memory>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/prepare/keys.hpp"
#include "core/prepare/routing.hpp"
#include "core/prepare/shard_file.hpp"
#include "core/routing/router.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRouterFile = "router.bin";
constexpr const char* kShardsFile = "shards.bin";

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

/// Of all lots, in order.
Routes read_routes(LotsOfRoutes& lots, const Router& router, const Preparation& preparation, const Splits& splits) {
  Routes routes{.best = static_cast<std::int32_t>(preparation.config.routing.overlap), .train = {}, .validation = {}};
  for (std::size_t lot = 0; lot < lots.lots(); ++lot) {
    const std::vector<PathId> some = lots.open(lot, router);
    routes.train.insert(routes.train.end(), some.begin(), some.end());
  }
  const auto first = routes.train.begin() + routes.best * std::ssize(splits.train);
  routes.validation.assign(first, routes.train.end());
  routes.train.erase(first, routes.train.end());
  return routes;
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

StageRequest shards_request(const Preparation& preparation, const Stage& start, std::int32_t paths) {
  return {.name = "shards", .keys = shards_keys(preparation, start, paths)};
}

Stage shards_stage(const Preparation& preparation, const StageRequest& request, const Corpus& corpus,
                   std::int32_t paths, LotsOfRoutes& lots) {
  const Stage stage = open_stage(preparation.options.cache, request, [&](const fs::path& folder) {
    const std::unique_ptr<Router> router = lots.open_router(paths);
    const Routes routes = read_routes(lots, *router, preparation, corpus.splits);
    const std::vector<Shard> shards =
        make_shards(*corpus.tokens, preparation.config.data, corpus.splits, routes, paths);
    require_documents(shards);
    write_file(folder / kRouterFile, router->encode());
    write_file(folder / kShardsFile, encode_shards(shards));
  });
  lots.remove();
  return stage;
}

std::vector<Shard> open_shards(const Stage& stage, const Corpus& corpus, std::int32_t paths) {
  const fs::path file = stage.folder / kShardsFile;
  std::vector<Shard> shards = decode_shards(MappedFile(file).bytes(), corpus.tokens->documents().size(), file.string());
  check(shards.size() == static_cast<std::size_t>(paths), "the paths are among the stage's keys");
  return shards;
}

fs::path router_file(const Stage& stage) { return stage.folder / kRouterFile; }

}  // namespace dipaco
