#include "core/eval/distances.hpp"

#include <cmath>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/eval/side_by_side.hpp"

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

LevelDistances level_distances(std::span<const float> start, std::span<const std::vector<float>> experts, int threads) {
  const std::size_t count = experts.size();
  LevelDistances level{.start_norm = norm(start),
                       .norms = std::vector<double>(count),
                       .from_start = std::vector<double>(count),
                       .between = {count, std::vector<double>(count)}};
  side_by_side(count, threads, [&](std::size_t i) {
    level.norms[i] = norm(experts[i]);
    level.from_start[i] = distance(experts[i], start);
    for (std::size_t k = i + 1; k < count; ++k) {
      level.between[i][k] = level.between[k][i] = distance(experts[i], experts[k]);
    }
  });
  return level;
}

}  // namespace dipaco
