#include "core/eval/distances.hpp"

#include <cmath>
#include <cstddef>

#include "core/base/error.hpp"

namespace dipaco {

double norm(std::span<const float> values) {
  double sum = 0;
  for (const float x : values) sum += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(sum);
}

double distance(std::span<const float> a, std::span<const float> b) {
  check(a.size() == b.size(), "modules of one level are of one size");
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

LevelDistances level_distances(std::span<const float> start, std::span<const std::vector<float>> experts) {
  LevelDistances level{.start_norm = norm(start), .norms = {}, .from_start = {}, .between = {}};
  for (const std::vector<float>& expert : experts) {
    level.norms.push_back(norm(expert));
    level.from_start.push_back(distance(expert, start));
  }
  level.between.assign(experts.size(), std::vector<double>(experts.size()));
  for (std::size_t i = 0; i < experts.size(); ++i) {
    for (std::size_t k = i + 1; k < experts.size(); ++k) {
      level.between[i][k] = level.between[k][i] = distance(experts[i], experts[k]);
    }
  }
  return level;
}

}  // namespace dipaco
