#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "core/base/random.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/routing/k_means.hpp"
#include "tests/prepare/fake_trainer.hpp"

namespace dipaco {
namespace {

using testing::FakeTrainer;

/// `each` points around every corner of a square grid of side 10, deviation 0.5; point i belongs to corner i % 4.
std::vector<float> four_clouds(std::size_t each) {
  std::vector<float> points;
  for (std::uint64_t i = 0; i < 4 * each; ++i) {
    points.push_back(static_cast<float>(10.0 * static_cast<double>(i % 2) + 0.5 * draw_normal(1, Draw::jitter, i, 0)));
    points.push_back(
        static_cast<float>(10.0 * static_cast<double>(i / 2 % 2) + 0.5 * draw_normal(1, Draw::jitter, i, 1)));
  }
  return points;
}

TEST_CASE("a squared distance is that of Pythagoras", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> points{0, 0, 3, 4};
  const std::vector<float> centroids{0, 0, 3, 0, 6, 8};
  // (0,0): 0, 9, 36 + 64; (3,4): 9 + 16, 16, 9 + 16
  CHECK(squared_distances(points, centroids, 2, trainer) == std::vector<float>{0, 9, 100, 25, 16, 25});
}

TEST_CASE("k-means finds four clouds from every seed", "[routing]") {
  const FakeTrainer trainer({});
  const auto points = four_clouds(50);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const KMeansOptions options{.clusters = 4, .width = 2, .seed = seed};
    const auto centroids = k_means_rounds(points, k_means_start(points, options, trainer), options, trainer);
    std::set<std::pair<long, long>> corners;
    for (std::size_t c = 0; c < 4; ++c) {
      corners.emplace(std::lround(centroids[2 * c] / 10), std::lround(centroids[2 * c + 1] / 10));
      CHECK(std::abs(centroids[2 * c] - 10 * std::round(centroids[2 * c] / 10)) < 0.3F);
    }
    INFO("seed " << seed);
    CHECK(corners == std::set<std::pair<long, long>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  }
}

TEST_CASE("the start of k-means is made of different points, and of the seed alone", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> points{0, 0, 0, 0, 0, 5, 5, 9};  // width 1, three different values
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const KMeansOptions options{.clusters = 3, .width = 1, .seed = seed};
    const auto start = k_means_start(points, options, trainer);
    CHECK(std::set<float>(start.begin(), start.end()) == std::set<float>{0, 5, 9});
    CHECK(start == k_means_start(points, options, trainer));
  }
}

TEST_CASE("each empty cluster is seeded again with the farthest point", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> points{0, 1, 10, 20};
  const KMeansOptions options{.clusters = 4, .width = 1};
  // All points are nearest to the first centroid. The empty clusters 1, 2, 3 take 20, 10 and 1, farthest first, then
  // every point is its own centroid.
  const auto centroids = k_means_rounds(points, {-1, 1000, 1000, 1000}, options, trainer);
  CHECK(centroids == std::vector<float>{0, 20, 10, 1});
}

TEST_CASE("k-means with fewer different points than clusters ends", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> points{2, 2, 2, 7};
  const KMeansOptions options{.clusters = 3, .width = 1};
  const auto centroids = k_means_rounds(points, k_means_start(points, options, trainer), options, trainer);
  CHECK(std::set<float>(centroids.begin(), centroids.end()) == std::set<float>{2, 7});
}

TEST_CASE("k-means stops after its last round though points still move", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> points{0, 1, 2, 3, 10};
  // From {0, 1}: round 1 takes {0} and {1, 2, 3, 10} to the means 0 and 4; round 2 {0, 1, 2} and {3, 10} to 1 and 6.5;
  // then {0, 1, 2, 3} and {10}, which is where it stays.
  const auto after = [&](int rounds) {
    return k_means_rounds(points, {0, 1}, {.clusters = 2, .width = 1, .rounds = rounds}, trainer);
  };
  CHECK(after(1) == std::vector<float>{0, 4});
  CHECK(after(2) == std::vector<float>{1, 6.5});
  CHECK(after(3) == std::vector<float>{1.5, 10});
  CHECK(after(100) == std::vector<float>{1.5, 10});
}

TEST_CASE("threads change no bit of k-means", "[routing]") {
  const FakeTrainer trainer({});
  std::vector<float> points;
  for (std::uint64_t i = 0; i < 2 * 9000; ++i) points.push_back(static_cast<float>(draw_normal(1, Draw::jitter, i)));
  KMeansOptions options{.clusters = 5, .width = 2, .rounds = 5};
  const auto alone = k_means(points, options, trainer);
  options.side_by_side = on_threads(3);
  CHECK(k_means(points, options, trainer) == alone);
}

}  // namespace
}  // namespace dipaco
