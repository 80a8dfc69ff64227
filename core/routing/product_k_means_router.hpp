#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/routing/k_means_router.hpp"
#include "core/routing/router.hpp"
#include "core/routing/standardisation.hpp"

namespace dipaco {

inline constexpr const char* kProductKMeans = "product_k_means";

/// Standardised features z of width d are turned onto m principal axes, which are dealt to the L levels: 32, but no
/// more than d and at least L. A level of one expert has nothing to choose and gets none. Each level has K_l centroids
/// of its own, so that a document which is nearest to centroid e_l along the axes of level l goes to the path (e_0,
/// e_1, ...) of the grid; a path's number counts the last level fastest, as in make_topology. §7.3 cuts z itself into
/// halves; Choice: halves of the features as they come say nearly the same of a document, and leave most of the grid
/// empty (docs/decisions/0012-product-k-means-on-principal-axes.md).
///
/// A path's distance is the sum of its centroids' squared distances, each along its level's axes, less its bias, and
/// the lower path comes first where two are equally near.
struct ProductKMeansModel {
  std::vector<std::int32_t> levels;  ///< [L], K_l; their product is P
  Standardisation standardisation;
  std::vector<float> axes;       ///< [m, d], those of the first level first
  std::vector<float> centroids;  ///< for each level [K_l, m_l], one after the other
  std::vector<float> bias;       ///< [P]
};

KMeansNeed product_k_means_need(const RouterFit& fit);

/// Fits k-means along the axes of each level. Two clusters may have hardly a document in common, so that a path of the
/// grid starves. Choice: where a path has less than a fifth of an equal share of the router documents, and
/// `calibrate_bias`, a bias gives each path that much (calibration_targets); else the bias is 0.
/// @throws ConfigError where the paths are no full grid, d is below the number of levels that choose, or there are
/// fewer documents than some K_l;
///   DataError where a feature is not finite.
std::unique_ptr<Router> fit_product_k_means_router(std::span<const float> features, const RouterFit& fit,
                                                   bool calibrate_bias, const Trainer& trainer);

/// The part of the file behind the method's name. @throws DataError
/// @param trainer  must outlive the router.
std::unique_ptr<Router> read_product_k_means_router(ByteReader& reader, const Trainer& trainer);

}  // namespace dipaco
