#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/ids.hpp"
#include "core/routing/options.hpp"
#include "core/routing/parts.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// Sends a document to its paths by its features (§2.4). Thread-safe, immutable.
class Router {
 public:
  virtual ~Router() = default;
  /// P.
  virtual std::int32_t paths() const = 0;
  /// d, of the features that it takes; 0 where it looks at none.
  virtual std::int64_t width() const = 0;
  /// How well each path suits each document, higher is better: [documents, P], row-major. A negative squared distance
  /// (product k-means: and the path's bias), a logit, or, where paths are drawn, 1 for the first one drawn and 0 for
  /// the others.
  /// @param features  [documents, width]
  /// @param hashes    [documents] of their texts, for draws
  /// @throws DataError where a feature is not finite or the width is another than the router was fitted to.
  virtual std::vector<float> scores(std::span<const float> features, std::span<const std::uint64_t> hashes) const = 0;
  /// The `n` best paths of each document, best first: [documents, n], row-major. Of two paths of equal score the lower
  /// one is the better. Arguments and errors are those of scores(). REQUIRES 1 <= n <= P.
  virtual std::vector<PathId> route(std::span<const float> features, std::span<const std::uint64_t> hashes,
                                    std::int32_t n) const = 0;
  /// Reads back with read_router. Format: docs/file-formats.md.
  virtual std::vector<std::byte> encode() const = 0;
};

/// What a router is fitted for.
struct RouterFit {
  std::int32_t paths = 0;  ///< P
  std::int64_t width = 0;  ///< d, of a feature
  std::uint64_t seed = 1;
  std::vector<std::int32_t> levels = {};  ///< K_l of a full grid, whose product is `paths`; empty where there is none
  SideBySide side_by_side = one_by_one;   ///< changes no bit
};

/// A kind of router, by the name that its files have, and routing.method where it has a `fit`.
struct RoutingMethod {
  std::string name;
  /// Fits one to the router documents' features [n, width]. `trainer`, for matrix products, outlives the router. Null:
  /// it is not fitted to features alone (linear: fit_linear_router). Throws ConfigError, or DataError where a feature
  /// is not finite.
  std::function<std::unique_ptr<Router>(std::span<const float> features, const RouterFit&, const RoutingOptions&,
                                        const Trainer& trainer)>
      fit{};
  /// Reads the part of its file behind the name, as begin_router and finish_router have written it: takes any bytes,
  /// and throws DataError.
  std::function<std::unique_ptr<Router>(ByteReader&, const Trainer& trainer)> read{};
  bool features = true;  ///< `fit` looks at features; otherwise it gets none
  bool grid = false;     ///< the paths must be a full grid, RouterFit::levels
  bool bias = false;     ///< routing.calibrate_bias changes what `fit` makes, from the scores of all router documents
  /// Throws ConfigError where there are too few documents for `fit`. Null: any number will do.
  std::function<void(std::size_t documents, const RouterFit&)> require{};
  std::string constants{};  ///< what else its routes depend on: shards are made anew where it is another text
};

/// Those of this project.
std::vector<RoutingMethod> routing_methods();
/// The names of those that have a `fit`.
std::vector<std::string> fitted_methods(const std::vector<RoutingMethod>& methods);

/// Checks that there are router documents enough, before features are computed.
/// @throws ConfigError for a method that cannot be fitted, where they are fewer than the clusters that the method fits
///   to router documents, or too many for a calibrated bias: documents x paths above 2^31
void require_router_documents(std::size_t documents, const RouterFit& fit, const RoutingOptions& options,
                              const std::vector<RoutingMethod>& methods = routing_methods());

/// Fits the router that `options.method` names to the router documents' features [n, width]: k-means or product
/// k-means on features standardised by their mean and deviation, k-means++ start, empty clusters re-seeded, until
/// nothing moves. A linear router is fitted to labels: fit_linear_router.
/// @param trainer  for matrix products; must outlive the router.
/// @throws ConfigError for an unknown method, fewer documents than clusters, or a method that takes a grid and paths
///   that are none; DataError where a feature is not finite; std::logic_error where fit.paths is 0.
std::unique_ptr<Router> fit_router(std::span<const float> features, const RouterFit& fit, const RoutingOptions& options,
                                   const Trainer& trainer,
                                   const std::vector<RoutingMethod>& methods = routing_methods());

/// Reads what Router::encode() wrote.
/// @param trainer  for matrix products; must outlive the router.
/// @throws DataError naming `source` where the bytes are damaged, or of a method that is none of `methods`.
std::unique_ptr<Router> read_router(std::span<const std::byte> bytes, const std::string& source, const Trainer& trainer,
                                    const std::vector<RoutingMethod>& methods = routing_methods());

/// @throws DataError naming `source` where `router` has not `paths` paths, or looks at features that are not `width`
///   numbers; one that looks at none fits any width.
void require_fits(const Router& router, std::int32_t paths, std::int64_t width, const std::string& source);

}  // namespace dipaco
