#pragma once

#include <memory>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/routing/router.hpp"

namespace dipaco {

inline constexpr const char* kKMeans = "k_means";

/// Standardised features z = (g - mean) * scale; a document's best paths are those of the nearest centroids, the
/// lower path first where two are equally near (§2.4.1, Eq. 1). d is the width of a feature.
struct KMeansModel {
  std::vector<float> mean;       ///< [d]
  std::vector<float> scale;      ///< [d] 1 / deviation; 0 where a feature never varied
  std::vector<float> centroids;  ///< [P, d], of z
};

/// @throws ConfigError for fewer documents than paths; DataError where a feature is not finite.
std::unique_ptr<Router> fit_k_means_router(std::span<const float> features, const RouterFit& fit,
                                           const Trainer& trainer);

/// The part of the file behind the method's name. @throws DataError
/// @param trainer  must outlive the router.
std::unique_ptr<Router> read_k_means_router(ByteReader& reader, const Trainer& trainer);

}  // namespace dipaco
