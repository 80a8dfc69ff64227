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

/// The one that routing.method may name. @throws ConfigError
const RoutingMethod& find_fitted(const std::vector<RoutingMethod>& methods, const std::string& name) {
  const auto found = std::ranges::find(methods, name, &RoutingMethod::name);
  if (found != methods.end() && found->fit) return *found;
  const auto known = fitted_methods(methods);
  throw ConfigError("routing.method: unknown value \"" + name + "\"; write " + alternatives(known) +
                    did_you_mean(name, known));
}

/// A bias is fitted to the scores of all router documents at once.
void require_memory(std::size_t documents, const RouterFit& fit, const RoutingOptions& options, bool bias) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 31U;  // 8 GiB
  const bool biased = bias || !options.reshard_at.empty();
  if (!options.calibrate_bias || !biased || documents <= kMostAtOnce / static_cast<std::size_t>(fit.paths)) return;
  throw ConfigError("routing.calibrate_bias=on: the scores of " + std::to_string(documents) +
                    " router documents under " + std::to_string(fit.paths) + " paths are in memory at once, and " +
                    std::to_string(kMostAtOnce) +
                    " of them may be: set routing.calibrate_bias=off, or have fewer paths in topology.levels");
}

RoutingMethod k_means_method() {
  return {
      .name = kKMeans,
      .fit = [](std::span<const float> features, const RouterFit& fit, const RoutingOptions& /*options*/,
                const Trainer& trainer) { return fit_k_means_router(features, fit, trainer); },
      .read = read_k_means_router,
      .require = [](std::size_t documents, const RouterFit& fit) { require_clusters(documents, k_means_need(fit)); }};
}

RoutingMethod product_k_means_method() {
  return {.name = kProductKMeans,
          .fit =
              [](std::span<const float> features, const RouterFit& fit, const RoutingOptions& options,
                 const Trainer& trainer) {
                return fit_product_k_means_router(features, fit, options.calibrate_bias, trainer);
              },
          .read = read_product_k_means_router,
          .grid = true,
          .bias = true,
          .require = [](std::size_t documents,
                        const RouterFit& fit) { require_clusters(documents, product_k_means_need(fit)); }};
}

RoutingMethod random_method() {
  return {.name = kRandom,
          .fit = [](std::span<const float> /*features*/, const RouterFit& fit, const RoutingOptions& /*options*/,
                    const Trainer& /*trainer*/) { return std::make_unique<RandomRouter>(fit.paths, fit.seed); },
          .read = [](ByteReader& reader, const Trainer& /*trainer*/) { return read_random_router(reader); },
          .features = false};
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

std::vector<RoutingMethod> routing_methods() {
  return {k_means_method(), product_k_means_method(), random_method(), {.name = kLinear, .read = read_linear_router}};
}

std::vector<std::string> fitted_methods(const std::vector<RoutingMethod>& methods) {
  std::vector<std::string> names;
  for (const RoutingMethod& method : methods) {
    if (method.fit) names.push_back(method.name);
  }
  return names;
}

void require_router_documents(std::size_t documents, const RouterFit& fit, const RoutingOptions& options,
                              const std::vector<RoutingMethod>& methods) {
  const RoutingMethod& method = find_fitted(methods, options.method);
  require_memory(documents, fit, options, method.bias);
  if (method.require) method.require(documents, fit);
}

std::unique_ptr<Router> fit_router(std::span<const float> features, const RouterFit& fit, const RoutingOptions& options,
                                   const Trainer& trainer, const std::vector<RoutingMethod>& methods) {
  check(fit.paths > 0, "a router has paths");
  return find_fitted(methods, options.method).fit(features, fit, options, trainer);
}

std::unique_ptr<Router> read_router(std::span<const std::byte> bytes, const std::string& source, const Trainer& trainer,
                                    const std::vector<RoutingMethod>& methods) {
  ByteReader reader = open_sealed(bytes, kSeal, source);
  const std::string name = reader.text();
  const auto method = std::ranges::find(methods, name, &RoutingMethod::name);
  if (method == methods.end()) reader.fail("a router of the unknown method \"" + name + "\"");
  std::unique_ptr<Router> router = method->read(reader, trainer);
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
