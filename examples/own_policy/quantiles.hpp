#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <dipaco/core/base/error.hpp>
#include <dipaco/core/routing/feature_router.hpp>
#include <dipaco/core/routing/router_file.hpp>
#include <memory>
#include <utility>
#include <vector>

/// Cuts the documents into equal parts along their first feature: a document's best path is that whose part has its
/// middle nearest.
class QuantileRouter : public dipaco::FeatureRouter {
 public:
  /// @param middles  [P], of the standardised first feature
  QuantileRouter(dipaco::Standardisation standardisation, std::vector<float> middles, const dipaco::Trainer& trainer)
      : FeatureRouter(std::move(standardisation), trainer), middles_(std::move(middles)) {}

  std::int32_t paths() const override { return static_cast<std::int32_t>(middles_.size()); }
  std::vector<std::byte> encode() const override {
    return dipaco::finish_router(dipaco::begin_router("quantiles"),
                                 {standardisation().mean, standardisation().scale, middles_});
  }

 private:
  std::vector<float> scores_of(std::span<const float> points) const override {
    std::vector<float> scores;
    for (std::size_t k = 0; k < points.size(); k += static_cast<std::size_t>(width())) {
      for (const float middle : middles_) scores.push_back(-std::abs(points[k] - middle));
    }
    return scores;
  }

  std::vector<float> middles_;
};

inline std::unique_ptr<dipaco::Router> fit_quantiles(std::span<const float> features, const dipaco::RouterFit& fit,
                                                     const dipaco::RoutingOptions& /*options*/,
                                                     const dipaco::Trainer& trainer) {
  const auto width = static_cast<std::size_t>(fit.width);
  auto standardisation = dipaco::measure_features(features, width);
  const std::vector<float> points = dipaco::standardised(standardisation, features);
  std::vector<float> first;
  for (std::size_t k = 0; k < points.size(); k += width) first.push_back(points[k]);
  std::ranges::sort(first);
  std::vector<float> middles;
  const auto paths = static_cast<std::size_t>(fit.paths);
  for (std::size_t p = 0; p < paths; ++p) middles.push_back(first[(2 * p + 1) * first.size() / (2 * paths)]);
  return std::make_unique<QuantileRouter>(std::move(standardisation), std::move(middles), trainer);
}

inline std::unique_ptr<dipaco::Router> read_quantiles(dipaco::ByteReader& reader, const dipaco::Trainer& trainer) {
  dipaco::Standardisation standardisation;
  standardisation.mean = dipaco::read_finite(reader);
  standardisation.scale = dipaco::read_finite(reader);
  auto middles = dipaco::read_finite(reader);
  if (middles.empty() || standardisation.mean.empty() || standardisation.mean.size() != standardisation.scale.size()) {
    reader.fail("its arrays do not fit together");
  }
  return std::make_unique<QuantileRouter>(std::move(standardisation), std::move(middles), trainer);
}
