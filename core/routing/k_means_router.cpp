#include "core/routing/k_means_router.hpp"

#include <utility>

#include "core/base/error.hpp"
#include "core/routing/feature_router.hpp"
#include "core/routing/k_means.hpp"
#include "core/routing/router_file.hpp"

namespace dipaco {
namespace {

class KMeansRouter final : public FeatureRouter {
 public:
  KMeansRouter(KMeansModel model, const Trainer& trainer)
      : FeatureRouter(std::move(model.standardisation), trainer), centroids_(std::move(model.centroids)) {}

  std::int32_t paths() const override {
    return static_cast<std::int32_t>(centroids_.size() / static_cast<std::size_t>(width()));
  }

  std::vector<std::byte> encode() const override {
    ByteWriter writer = begin_router(kKMeans);
    writer.value(paths());
    return finish_router(std::move(writer), {standardisation().mean, standardisation().scale, centroids_});
  }

 private:
  std::vector<float> scores_of(std::span<const float> points) const override {
    std::vector<float> scores = squared_distances(points, centroids_, width(), trainer());
    for (float& score : scores) score = -score;
    return scores;
  }

  std::vector<float> centroids_;
};

}  // namespace

KMeansNeed k_means_need(const RouterFit& fit) { return {.method = kKMeans, .clusters = fit.paths, .noun = "paths"}; }

void require_clusters(std::size_t documents, const KMeansNeed& need) {
  if (documents >= static_cast<std::size_t>(need.clusters)) return;
  throw ConfigError("routing.method=" + need.method + ": " + std::to_string(documents) + " router documents for " +
                    std::to_string(need.clusters) + " " + need.noun +
                    ": raise routing.router_fraction, name more text in data.train, or have fewer paths in "
                    "topology.levels");
}

std::size_t require_documents(std::span<const float> features, std::int64_t width, const KMeansNeed& need) {
  check(width > 0, "a feature has a width");
  const auto d = static_cast<std::size_t>(width);
  if (features.size() % d != 0) {
    throw DataError("router: " + std::to_string(features.size()) + " numbers are no features of width " +
                    std::to_string(width));
  }
  const std::size_t documents = features.size() / d;
  require_clusters(documents, need);
  require_finite(features, d);
  return documents;
}

std::unique_ptr<Router> fit_k_means_router(std::span<const float> features, const RouterFit& fit,
                                           const Trainer& trainer) {
  require_documents(features, fit.width, k_means_need(fit));
  KMeansModel model{.standardisation = measure_features(features, static_cast<std::size_t>(fit.width)),
                    .centroids = {}};
  const std::vector<float> points = standardised(model.standardisation, features);
  model.centroids = k_means(
      points, {.clusters = fit.paths, .width = fit.width, .seed = fit.seed, .side_by_side = fit.side_by_side}, trainer);
  return std::make_unique<KMeansRouter>(std::move(model), trainer);
}

std::unique_ptr<Router> read_k_means_router(ByteReader& reader, const Trainer& trainer) {
  const auto paths = reader.value<std::int32_t>();
  KMeansModel model;
  auto& [mean, scale] = model.standardisation;
  mean = read_finite(reader);
  scale = read_finite(reader);
  model.centroids = read_finite(reader);
  const std::size_t width = mean.size();
  const bool fits = paths > 0 && width > 0 && scale.size() == width && model.centroids.size() % width == 0 &&
                    model.centroids.size() / width == static_cast<std::size_t>(paths);
  if (!fits) {
    reader.fail(std::to_string(model.centroids.size()) + " numbers are no centroids of " + std::to_string(paths) +
                " paths and width " + std::to_string(width));
  }
  return std::make_unique<KMeansRouter>(std::move(model), trainer);
}

}  // namespace dipaco
