#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "core/base/random.hpp"
#include "core/routing/principal_axes.hpp"
#include "tests/prepare/fake_trainer.hpp"

namespace dipaco {
namespace {

using testing::FakeTrainer;

double between(const std::vector<float>& axes, std::size_t a, std::size_t b, std::size_t width) {
  double sum = 0;
  for (std::size_t k = 0; k < width; ++k) {
    sum += static_cast<double>(axes[a * width + k]) * static_cast<double>(axes[b * width + k]);
  }
  return sum;
}

void check_orthonormal(const std::vector<float>& axes, std::size_t width) {
  for (std::size_t a = 0; a < axes.size() / width; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      CAPTURE(a, b);
      CHECK(between(axes, a, b, width) == Approx(a == b ? 1 : 0).margin(1e-6));
    }
  }
}

/// What two hidden numbers s and t, of variance 1, say of 4 features: (s, s, s, t), each with a little noise.
std::vector<float> three_and_one() {
  std::vector<float> points;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto draw = [&](std::uint64_t k, double deviation) {
      return deviation * std::sqrt(12.0) * (draw_uniform(1, Draw::jitter, i, k) - 0.5);
    };
    const double s = draw(0, 1);
    const double t = draw(1, 1);
    for (std::uint64_t k = 0; k < 4; ++k) points.push_back(static_cast<float>((k < 3 ? s : t) + draw(2 + k, 0.1)));
  }
  return points;
}

TEST_CASE("principal axes are the directions of the largest variance, in its order", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> axes = principal_axes(three_and_one(), 4, 2, one_by_one, trainer);
  REQUIRE(axes.size() == 8);
  check_orthonormal(axes, 4);
  const double third = 1 / std::sqrt(3.0);
  for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(axes[k]) == Approx(third).margin(0.02));
  CHECK(std::abs(axes[3]) < 0.05);
  CHECK(std::abs(axes[7]) == Approx(1).margin(0.01));
}

TEST_CASE("there are as many axes as asked for, whatever the points vary along", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> axes = principal_axes(three_and_one(), 4, 4, one_by_one, trainer);
  CHECK(axes.size() == 16);
  check_orthonormal(axes, 4);
  const std::vector<float> none(12);  // three points in the middle
  check_orthonormal(principal_axes(none, 4, 3, one_by_one, trainer), 4);
  std::vector<float> line;  // features 1 and 2 never vary
  for (const int value : {-1, 0, 1}) line.insert(line.end(), {0, 0, static_cast<float>(value)});
  const std::vector<float> along_line = principal_axes(line, 3, 2, one_by_one, trainer);
  check_orthonormal(along_line, 3);
}

TEST_CASE("principal axes of many features do not depend on how many are worked on side by side", "[routing]") {
  const FakeTrainer trainer({});
  constexpr std::size_t kWidth = 500;
  std::vector<float> points(40 * kWidth);
  for (std::size_t i = 0; i < 40; ++i) {
    points[i * kWidth + 3] = static_cast<float>(draw_uniform(1, Draw::jitter, i, 0) - 0.5);
    points[i * kWidth + 450] = static_cast<float>(4 * draw_uniform(1, Draw::jitter, i, 1) - 2);
  }
  const std::vector<float> axes = principal_axes(points, kWidth, 4, one_by_one, trainer);
  check_orthonormal(axes, kWidth);
  CHECK(std::abs(axes[450]) > 0.9F);
  const auto last_first = [](std::size_t count, const std::function<void(std::size_t)>& work) {
    for (std::size_t i = count; i > 0; --i) work(i - 1);
  };
  CHECK(principal_axes(points, kWidth, 4, last_first, trainer) == axes);
}

}  // namespace
}  // namespace dipaco
