#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/routing/router.hpp"
#include "core/routing/standardisation.hpp"

namespace dipaco {

inline constexpr const char* kKMeans = "k_means";

/// Standardised features z; a document's best paths are those of the nearest centroids, the lower path first where two
/// are equally near (§2.4.1, Eq. 1). d is the width of a feature.
struct KMeansModel {
  Standardisation standardisation;
  std::vector<float> centroids;  ///< [P, d], of z
};

/// @throws ConfigError for fewer documents than paths; DataError where a feature is not finite.
std::unique_ptr<Router> fit_k_means_router(std::span<const float> features, const RouterFit& fit,
                                           const Trainer& trainer);

/// The part of the file behind the method's name. @throws DataError
/// @param trainer  must outlive the router.
std::unique_ptr<Router> read_k_means_router(ByteReader& reader, const Trainer& trainer);

/// What k-means can cluster.
struct KMeansNeed {
  std::string method;
  std::int32_t clusters = 0;
  std::string noun;  ///< what a cluster is for, "paths"
};

KMeansNeed k_means_need(const RouterFit& fit);

/// @throws ConfigError for fewer documents than clusters
void require_clusters(std::size_t documents, const KMeansNeed& need);

/// The number of documents of features [n, width].
/// @throws ConfigError for fewer documents than clusters; DataError where a feature is not finite, or the width
/// differs.
std::size_t require_documents(std::span<const float> features, std::int64_t width, const KMeansNeed& need);

}  // namespace dipaco
