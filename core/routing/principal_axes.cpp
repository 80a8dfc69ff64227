#include "core/routing/principal_axes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/base/error.hpp"
#include "core/routing/dot.hpp"

namespace dipaco {
namespace {

constexpr int kRounds = 100;
constexpr std::size_t kRows = 224;  // of the covariance that are worked out at a time, each from a copy of its features
constexpr double kRidge = 0.01;     // of a standardised feature's variance: no direction of the iteration vanishes

std::span<double> axis(std::vector<double>& axes, std::size_t i, std::size_t width) {
  return std::span(axes).subspan(i * width, width);
}

/// Takes from each row what lies along those before it, and gives it length 1. Twice: once leaves what rounding adds.
void make_orthonormal(std::vector<double>& rows, std::size_t width) {
  for (std::size_t i = 0; i < rows.size() / width; ++i) {
    const std::span<double> own = axis(rows, i, width);
    for (int time = 0; time < 2; ++time) {
      for (std::size_t other = 0; other < i; ++other) {
        const std::span<double> before = axis(rows, other, width);
        const double along = dot(own, before);
        for (std::size_t k = 0; k < width; ++k) own[k] -= along * before[k];
      }
      const double length = std::sqrt(dot(own, own));
      for (double& value : own) value /= length;
    }
  }
}

/// Features first to first + count - 1 of points [n, d]: [n, count].
std::vector<float> some_features(std::span<const float> points, std::size_t width, std::size_t first,
                                 std::size_t count) {
  std::vector<float> some;
  some.reserve(points.size() / width * count);
  for (std::size_t row = first; row < points.size(); row += width) {
    some.insert(some.end(), &points[row], &points[row] + count);
  }
  return some;
}

/// Sums of squares and products over the points' number, and the ridge: [d, d]. By rows, some side by side.
std::vector<float> covariance(std::span<const float> points, std::size_t width, const SideBySide& side_by_side,
                              const Trainer& trainer) {
  const auto d = static_cast<std::int64_t>(width);
  const std::int64_t n = std::ssize(points) / d;
  std::vector<float> matrix(width * width);
  side_by_side((width + kRows - 1) / kRows, [&](std::size_t i) {
    const std::size_t first = i * kRows;
    const std::size_t count = std::min(kRows, width - first);
    const auto rows = trainer.product(some_features(points, width, first, count), points,
                                      {.n = static_cast<std::int64_t>(count), .k = d, .d = n, .transposed = true});
    std::ranges::copy(rows, &matrix[first * width]);
  });
  for (float& value : matrix) value /= static_cast<float>(n);
  for (std::size_t k = 0; k < width; ++k) matrix[k * width + k] += static_cast<float>(kRidge);
  return matrix;
}

}  // namespace

std::vector<float> principal_axes(std::span<const float> points, std::size_t width, std::size_t count,
                                  const SideBySide& side_by_side, const Trainer& trainer) {
  check(!points.empty() && count > 0 && count <= width, "there are points, and as many axes as features at most");
  const std::vector<float> matrix = covariance(points, width, side_by_side, trainer);
  const auto d = static_cast<std::int64_t>(width);
  std::vector<float> axes(count * width);
  for (std::size_t i = 0; i < count; ++i) axes[i * width + i] = 1;
  std::vector<double> variances(count);
  for (int round = 0; round < kRounds; ++round) {
    const auto turned = trainer.product(axes, matrix, {.n = static_cast<std::int64_t>(count), .k = d, .d = d});
    std::vector<double> rows(turned.begin(), turned.end());
    const std::vector<double> last(axes.begin(), axes.end());
    for (std::size_t i = 0; i < count; ++i) {
      variances[i] = dot(axis(rows, i, width), std::span(last).subspan(i * width, width));
    }
    make_orthonormal(rows, width);
    std::transform(rows.begin(), rows.end(), axes.begin(), [](double value) { return static_cast<float>(value); });
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return variances[a] > variances[b]; });
  std::vector<float> sorted;
  for (const std::size_t i : order) sorted.insert(sorted.end(), &axes[i * width], &axes[i * width] + width);
  return sorted;
}

}  // namespace dipaco
