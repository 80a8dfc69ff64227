#include "core/routing/k_means_router.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/sealed.hpp"
#include "core/routing/k_means.hpp"
#include "core/routing/router_file.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kChunk = 4096;  // documents whose distances are in memory at a time

void require_finite(std::span<const float> features, std::size_t width) {
  const auto bad = std::find_if_not(features.begin(), features.end(), [](float x) { return std::isfinite(x); });
  if (bad == features.end()) return;
  const auto at = static_cast<std::size_t>(bad - features.begin());
  throw DataError("router: feature " + std::to_string(at % width) + " of document " + std::to_string(at / width) +
                  " is not finite: pretraining has diverged; lower inner.learning_rate");
}

std::vector<float> standardised(const KMeansModel& model, std::span<const float> features) {
  const std::size_t width = model.mean.size();
  std::vector<float> out(features.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = (features[i] - model.mean[i % width]) * model.scale[i % width];
  }
  return out;
}

/// Mean and 1 / deviation of every feature, summed in double in the documents' order.
void measure(KMeansModel& model, std::span<const float> features, std::size_t width) {
  const auto n = static_cast<double>(features.size() / width);
  std::vector<double> mean(width);
  std::vector<double> square(width);
  for (std::size_t i = 0; i < features.size(); ++i) mean[i % width] += static_cast<double>(features[i]) / n;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const double difference = static_cast<double>(features[i]) - mean[i % width];
    square[i % width] += difference * difference / n;
  }
  constexpr double kConstant = 1e-6;  // of the mean: a float's rounding, not a variation
  for (std::size_t j = 0; j < width; ++j) {
    const double deviation = std::sqrt(square[j]);
    model.mean.push_back(static_cast<float>(mean[j]));
    model.scale.push_back(deviation > kConstant * std::abs(mean[j]) ? static_cast<float>(1 / deviation) : 0.0F);
  }
}

class KMeansRouter final : public Router {
 public:
  KMeansRouter(KMeansModel model, const Trainer& trainer) : model_(std::move(model)), trainer_(trainer) {}

  std::int32_t paths() const override { return static_cast<std::int32_t>(model_.centroids.size() / width()); }

  std::vector<PathId> route(std::span<const float> features, std::span<const std::uint64_t> hashes,
                            std::int32_t n) const override {
    check(n > 0 && n <= paths(), "a document goes to 1 to all paths");
    if (features.size() != hashes.size() * width()) {
      throw DataError("router: " + std::to_string(features.size()) + " numbers for " + std::to_string(hashes.size()) +
                      " documents, and this router takes features of width " + std::to_string(width()) +
                      ": it was made for another model");
    }
    require_finite(features, width());
    std::vector<PathId> routes;
    routes.reserve(hashes.size() * static_cast<std::size_t>(n));
    for (std::size_t first = 0; first < hashes.size(); first += kChunk) {
      const std::size_t count = std::min(kChunk, hashes.size() - first);
      append_nearest(routes, features.subspan(first * width(), count * width()), n);
    }
    return routes;
  }

  std::vector<std::byte> encode() const override {
    ByteWriter writer = begin_router(kKMeans);
    writer.value(paths());
    for (const auto* part : {&model_.mean, &model_.scale, &model_.centroids}) {
      writer.array(std::span<const float>(*part));
    }
    return finish_sealed(std::move(writer));
  }

 private:
  std::size_t width() const { return model_.mean.size(); }

  void append_nearest(std::vector<PathId>& routes, std::span<const float> features, std::int32_t n) const {
    const auto distances = squared_distances(standardised(model_, features), model_.centroids,
                                             static_cast<std::int64_t>(width()), trainer_);
    const auto k = static_cast<std::size_t>(paths());
    std::vector<std::int32_t> order(k);
    for (std::size_t i = 0; i < distances.size(); i += k) {
      std::iota(order.begin(), order.end(), 0);
      const auto distance = [&](std::int32_t path) { return distances[i + static_cast<std::size_t>(path)]; };
      std::partial_sort(order.begin(), order.begin() + n, order.end(), [&](std::int32_t a, std::int32_t b) {
        return std::pair(distance(a), a) < std::pair(distance(b), b);
      });
      for (std::int32_t j = 0; j < n; ++j) routes.push_back(PathId{order[static_cast<std::size_t>(j)]});
    }
  }

  KMeansModel model_;
  const Trainer& trainer_;
};

}  // namespace

std::unique_ptr<Router> fit_k_means_router(std::span<const float> features, const RouterFit& fit,
                                           const Trainer& trainer) {
  check(fit.width > 0, "a feature has a width");
  const auto width = static_cast<std::size_t>(fit.width);
  if (features.size() % width != 0) {
    throw DataError("router: " + std::to_string(features.size()) + " numbers are no features of width " +
                    std::to_string(width));
  }
  const std::size_t documents = features.size() / width;
  if (documents < static_cast<std::size_t>(fit.paths)) {
    throw ConfigError("routing.method=k_means: " + std::to_string(documents) + " router documents for " +
                      std::to_string(fit.paths) +
                      " paths: raise routing.router_fraction, name more text in data.train, or have fewer paths in "
                      "topology.levels");
  }
  require_finite(features, width);
  KMeansModel model;
  measure(model, features, width);
  const std::vector<float> points = standardised(model, features);
  const KMeansOptions options{.clusters = fit.paths, .width = fit.width, .seed = fit.seed};
  model.centroids = k_means_rounds(points, k_means_start(points, options, trainer), options, trainer);
  return std::make_unique<KMeansRouter>(std::move(model), trainer);
}

std::unique_ptr<Router> read_k_means_router(ByteReader& reader, const Trainer& trainer) {
  const auto paths = reader.value<std::int32_t>();
  KMeansModel model;
  model.mean = reader.array<float>();
  model.scale = reader.array<float>();
  model.centroids = reader.array<float>();
  const std::size_t width = model.mean.size();
  const bool fits = paths > 0 && width > 0 && model.scale.size() == width && model.centroids.size() % width == 0 &&
                    model.centroids.size() / width == static_cast<std::size_t>(paths);
  if (!fits) {
    reader.fail(std::to_string(model.centroids.size()) + " numbers are no centroids of " + std::to_string(paths) +
                " paths and width " + std::to_string(width));
  }
  for (const auto* part : {&model.mean, &model.scale, &model.centroids}) {
    if (!std::all_of(part->begin(), part->end(), [](float x) { return std::isfinite(x); })) {
      reader.fail("a number that is not finite");
    }
  }
  return std::make_unique<KMeansRouter>(std::move(model), trainer);
}

}  // namespace dipaco
