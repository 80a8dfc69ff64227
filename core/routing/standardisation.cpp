#include "core/routing/standardisation.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"

namespace dipaco {

Standardisation measure_features(std::span<const float> features, std::size_t width) {
  check(width > 0 && !features.empty() && features.size() % width == 0, "features are [n, width], n > 0");
  const auto n = static_cast<double>(features.size() / width);
  std::vector<double> mean(width);
  std::vector<double> square(width);
  for (std::size_t first = 0; first < features.size(); first += width) {
    for (std::size_t j = 0; j < width; ++j) mean[j] += static_cast<double>(features[first + j]) / n;
  }
  for (std::size_t first = 0; first < features.size(); first += width) {
    for (std::size_t j = 0; j < width; ++j) {
      const double difference = static_cast<double>(features[first + j]) - mean[j];
      square[j] += difference * difference / n;
    }
  }
  constexpr double kConstant = 1e-6;  // of the mean: a float's rounding, not a variation
  Standardisation out;
  for (std::size_t j = 0; j < width; ++j) {
    const double deviation = std::sqrt(square[j]);
    out.mean.push_back(static_cast<float>(mean[j]));
    out.scale.push_back(deviation > kConstant * std::abs(mean[j]) ? static_cast<float>(1 / deviation) : 0.0F);
  }
  return out;
}

std::vector<float> standardised(const Standardisation& standardisation, std::span<const float> features) {
  const std::size_t width = standardisation.mean.size();
  std::vector<float> out(features.size());
  for (std::size_t first = 0; first < out.size(); first += width) {
    for (std::size_t j = 0; j < width; ++j) {
      out[first + j] = (features[first + j] - standardisation.mean[j]) * standardisation.scale[j];
    }
  }
  return out;
}

void require_finite(std::span<const float> features, std::size_t width) {
  const auto bad = std::find_if_not(features.begin(), features.end(), [](float x) { return std::isfinite(x); });
  if (bad == features.end()) return;
  const auto at = static_cast<std::size_t>(bad - features.begin());
  throw DataError("router: feature " + std::to_string(at % width) + " of document " + std::to_string(at / width) +
                  " is not finite: pretraining has diverged; lower inner.learning_rate");
}

}  // namespace dipaco
