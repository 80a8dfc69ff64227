#include "core/routing/router.hpp"

#include "core/base/error.hpp"
#include "core/base/sealed.hpp"
#include "core/base/text.hpp"
#include "core/routing/k_means_router.hpp"
#include "core/routing/random_router.hpp"
#include "core/routing/router_file.hpp"

namespace dipaco {
namespace {

constexpr Seal kSeal{.magic = "DIPACORT", .version = 1, .noun = "router"};

}  // namespace

ByteWriter begin_router(const std::string& method) {
  ByteWriter writer = begin_sealed(kSeal);
  writer.text(method);
  return writer;
}

std::unique_ptr<Router> fit_router(std::span<const float> features, const RouterFit& fit, const RoutingOptions& options,
                                   const Trainer& trainer) {
  check(fit.paths > 0, "a router has paths");
  if (options.method == kRandom) return std::make_unique<RandomRouter>(fit.paths, fit.seed);
  if (options.method == kKMeans) return fit_k_means_router(features, fit, trainer);
  const std::vector<std::string> known{kKMeans, kRandom};
  throw ConfigError("routing.method: unknown value \"" + options.method + "\": k_means or random" +
                    did_you_mean(options.method, known));
}

std::unique_ptr<Router> read_router(std::span<const std::byte> bytes, const std::string& source,
                                    const Trainer& trainer) {
  ByteReader reader = open_sealed(bytes, kSeal, source);
  const std::string method = reader.text();
  std::unique_ptr<Router> router;
  if (method == kKMeans) router = read_k_means_router(reader, trainer);
  if (method == kRandom) router = read_random_router(reader);
  if (!router) reader.fail("a router of the unknown method \"" + method + "\"");
  if (reader.remaining() > 0) reader.fail(std::to_string(reader.remaining()) + " bytes too many");
  return router;
}

}  // namespace dipaco
