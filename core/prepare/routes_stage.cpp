#include "core/prepare/routes_stage.hpp"

#include <algorithm>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/named.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/prepare/keys.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLotRouter = "router.bin";
constexpr const char* kLotRoutes = "routes.bin";
constexpr std::size_t kDocumentsAReport = 4096;  // between two reports of progress

/// Calls visit(part) for some documents at a time.
template <class Visit>
void by_parts(std::span<const DocumentId> documents, Visit visit) {
  for (std::size_t first = 0; first < documents.size(); first += kDocumentsAReport) {
    visit(documents.subspan(first, std::min(kDocumentsAReport, documents.size() - first)));
  }
}

std::vector<DocumentId> routed_documents(const Splits& splits) {
  std::vector<DocumentId> all = splits.train;
  all.insert(all.end(), splits.validation.begin(), splits.validation.end());
  return all;
}

}  // namespace

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

LotsOfRoutes::LotsOfRoutes(const Preparation& preparation, const Corpus& corpus, std::span<const float> parameters,
                           std::string keys)
    : preparation_(preparation),
      source_{preparation.trainer, parameters, *corpus.tokens, preparation.config.routing.prefix,
              preparation.options.threads},
      keys_(std::move(keys)),
      documents_(routed_documents(corpus.splits)),
      expected_(documents_.size()),
      fitted_(routing_method(preparation.config).features ? std::span<const DocumentId>(corpus.splits.router)
                                                          : std::span<const DocumentId>()) {}

StageRequest LotsOfRoutes::router_request() const { return {.name = "router", .keys = keys_}; }

StageRequest LotsOfRoutes::request(std::size_t lot) const {
  Keys keys;
  keys.add("lot", lot).add("documents", preparation_.options.documents_of_a_lot);
  return {.name = "routes", .keys = keys_ + keys.text()};
}

bool LotsOfRoutes::has_router() const { return has_stage(preparation_.options.cache, router_request()); }

bool LotsOfRoutes::is_there(std::size_t lot) const { return has_stage(preparation_.options.cache, request(lot)); }

std::size_t LotsOfRoutes::lots() const {
  const std::size_t most = preparation_.options.documents_of_a_lot;
  return (documents_.size() + most - 1) / most;
}

std::span<const DocumentId> LotsOfRoutes::documents(std::size_t lot) const {
  const std::size_t most = preparation_.options.documents_of_a_lot;
  return std::span(documents_).subspan(lot * most, std::min(most, documents_.size() - lot * most));
}

void LotsOfRoutes::add_done(std::size_t documents) {
  done_ += documents;
  preparation_.tell("features", static_cast<std::int64_t>(done_),
                    static_cast<std::int64_t>(fitted_.size() + expected_));
}

std::vector<float> LotsOfRoutes::router_features() {
  std::vector<float> all;
  by_parts(fitted_, [&](std::span<const DocumentId> part) {
    const auto some = features_of(source_, part);
    all.insert(all.end(), some.begin(), some.end());
    add_done(part.size());
  });
  return all;
}

std::unique_ptr<Router> LotsOfRoutes::open_router(std::int32_t paths) {
  const RunConfig& config = preparation_.config;
  std::unique_ptr<Router> fitted;
  const Stage stage = open_stage(preparation_.options.cache, router_request(), [&](const fs::path& folder) {
    fitted = fit_router(router_features(), router_fit(preparation_, paths), config.routing, preparation_.trainer,
                        config.parts->routers);
    write_file(folder / kLotRouter, fitted->encode());
  });
  if (fitted) return fitted;
  if (done_ == 0) add_done(fitted_.size());  // else it was opened before
  const fs::path file = stage.folder / kLotRouter;
  return read_router(MappedFile(file).bytes(), file.string(), preparation_.trainer, config.parts->routers);
}

std::vector<PathId> LotsOfRoutes::open(std::size_t lot, const Router& router) {
  const std::span<const DocumentId> own = documents(lot);
  const auto best = static_cast<std::int32_t>(preparation_.config.routing.overlap);
  std::vector<PathId> routes;
  const Stage stage = open_stage(preparation_.options.cache, request(lot), [&](const fs::path& folder) {
    routes.clear();  // of another time
    by_parts(own, [&](std::span<const DocumentId> part) {
      const auto some = route_documents(source_, router, part, best);
      routes.insert(routes.end(), some.begin(), some.end());
      add_done(part.size());
    });
    ByteWriter writer;
    writer.array(std::span<const PathId>(routes));
    write_file(folder / kLotRoutes, writer.bytes());
  });
  if (!routes.empty()) return routes;
  add_done(own.size());
  const fs::path file = stage.folder / kLotRoutes;
  const MappedFile mapped(file);
  ByteReader reader(mapped.bytes(), file.string());
  routes = reader.array<PathId>();
  const auto is_path = [&](PathId path) { return index(path) >= 0 && index(path) < router.paths(); };
  if (reader.remaining() > 0 || routes.size() != own.size() * static_cast<std::size_t>(best) ||
      !std::ranges::all_of(routes, is_path)) {
    reader.fail("no routes of " + std::to_string(own.size()) + " documents to " + std::to_string(router.paths()) +
                " paths");
  }
  return routes;
}

void LotsOfRoutes::remove() const {
  for (std::size_t lot = 0; lot < lots(); ++lot) remove_stage(preparation_.options.cache, request(lot));
  remove_stage(preparation_.options.cache, router_request());
}

bool parts_are_to_route(LotsOfRoutes& lots, const Preparation& preparation, const StageRequest& shards,
                        std::int32_t paths) {
  const auto joined = [&] { return has_stage(preparation.options.cache, shards); };
  if (!routing_method(preparation.config).features || joined()) return false;
  const bool fitted_before = lots.has_router();
  lots.open_router(paths);
  std::size_t missing = 0;
  for (std::size_t lot = 0; lot < lots.lots(); ++lot) missing += lots.is_there(lot) ? 0 : 1;
  if (missing == 0 || joined()) return false;  // another program may have joined them meanwhile
  if (fitted_before && missing < lots.lots()) {
    throw DataError(std::to_string(missing) + " of " + std::to_string(lots.lots()) +
                    " lots of documents are not routed yet: run `dipaco prepare --part I/N` for every I from 0 to N-1, "
                    "in this cache, before --join");
  }
  return true;
}

}  // namespace dipaco
