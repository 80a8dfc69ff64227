#include "core/routing/router.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/sealed.hpp"
#include "core/base/text.hpp"
#include "core/routing/k_means_router.hpp"
#include "core/routing/linear_router.hpp"
#include "core/routing/product_k_means_router.hpp"
#include "core/routing/random_router.hpp"
#include "core/routing/router_file.hpp"

namespace dipaco {
namespace {

constexpr Seal kSeal{.magic = "DIPACORT", .version = 2, .noun = "router"};

/// A bias is fitted to the scores of all router documents at once.
void require_memory(std::size_t documents, const RouterFit& fit, const RoutingOptions& options) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 31U;  // 8 GiB
  const bool biased = options.method == kProductKMeans || !options.reshard_at.empty();
  if (!options.calibrate_bias || !biased || documents <= kMostAtOnce / static_cast<std::size_t>(fit.paths)) return;
  throw ConfigError("routing.calibrate_bias=on: the scores of " + std::to_string(documents) +
                    " router documents under " + std::to_string(fit.paths) + " paths are in memory at once, and " +
                    std::to_string(kMostAtOnce) +
                    " of them may be: set routing.calibrate_bias=off, or have fewer paths in topology.levels");
}

}  // namespace

ByteWriter begin_router(const std::string& method) {
  ByteWriter writer = begin_sealed(kSeal);
  writer.text(method);
  return writer;
}

std::vector<std::byte> finish_router(ByteWriter writer, std::initializer_list<std::span<const float>> arrays) {
  for (const std::span<const float> array : arrays) writer.array(array);
  return finish_sealed(std::move(writer));
}

std::vector<float> read_finite(ByteReader& reader) {
  std::vector<float> numbers = reader.array<float>();
  if (!std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); })) {
    reader.fail("a number that is not finite");
  }
  return numbers;
}

void require_router_documents(std::size_t documents, const RouterFit& fit, const RoutingOptions& options) {
  require_memory(documents, fit, options);
  if (options.method == kKMeans) require_clusters(documents, k_means_need(fit));
  if (options.method == kProductKMeans) require_clusters(documents, product_k_means_need(fit));
}

std::unique_ptr<Router> fit_router(std::span<const float> features, const RouterFit& fit, const RoutingOptions& options,
                                   const Trainer& trainer) {
  check(fit.paths > 0, "a router has paths");
  if (options.method == kRandom) return std::make_unique<RandomRouter>(fit.paths, fit.seed);
  if (options.method == kKMeans) return fit_k_means_router(features, fit, trainer);
  if (options.method == kProductKMeans) {
    return fit_product_k_means_router(features, fit, options.calibrate_bias, trainer);
  }
  const std::vector<std::string> known{kKMeans, kProductKMeans, kRandom};
  throw ConfigError("routing.method: unknown value \"" + options.method + "\": k_means, product_k_means or random" +
                    did_you_mean(options.method, known));
}

std::unique_ptr<Router> read_router(std::span<const std::byte> bytes, const std::string& source,
                                    const Trainer& trainer) {
  ByteReader reader = open_sealed(bytes, kSeal, source);
  const std::string method = reader.text();
  std::unique_ptr<Router> router;
  if (method == kKMeans) router = read_k_means_router(reader, trainer);
  if (method == kProductKMeans) router = read_product_k_means_router(reader, trainer);
  if (method == kLinear) router = read_linear_router(reader, trainer);
  if (method == kRandom) router = read_random_router(reader);
  if (!router) reader.fail("a router of the unknown method \"" + method + "\"");
  if (reader.remaining() > 0) reader.fail(std::to_string(reader.remaining()) + " bytes too many");
  return router;
}

void require_fits(const Router& router, std::int32_t paths, std::int64_t width, const std::string& source) {
  if (router.paths() != paths) {
    throw DataError(source + ": a router to " + std::to_string(router.paths()) + " paths, and this topology has " +
                    std::to_string(paths) + ": it was made for another topology; make it again");
  }
  if (router.width() != 0 && router.width() != width) {
    throw DataError(source + ": a router by features of width " + std::to_string(router.width()) +
                    ", and this model's have width " + std::to_string(width) +
                    ": it was made for another model; make it again");
  }
}

}  // namespace dipaco
