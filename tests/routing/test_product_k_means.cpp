#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/routing/router.hpp"
#include "core/routing/router_file.hpp"
#include "tests/prepare/fake_trainer.hpp"
#include "tests/routing/router_files.hpp"

namespace dipaco {
namespace {

using testing::FakeTrainer;
using testing::router_file;

const RoutingOptions kProduct{.method = "product_k_means"};

/// Three documents at each of some corners of a square: (0 or 100, 0 or 1000), and 1 to either side. What the first
/// says is said once more, so that it is the axis of the largest variance.
std::vector<float> corners(const std::vector<std::pair<int, int>>& which) {
  std::vector<float> features;
  for (const auto& [a, b] : which) {
    for (const int offset : {-1, 0, 1}) {
      features.push_back(static_cast<float>(100 * a + offset));
      features.push_back(static_cast<float>(1000 * b + 10 * offset));
      features.push_back(static_cast<float>(7 * a));
    }
  }
  return features;
}

std::vector<PathId> route(const Router& router, const std::vector<float>& features, std::int32_t n) {
  const std::size_t documents = features.size() / static_cast<std::size_t>(router.width());
  return router.route(features, std::vector<std::uint64_t>(documents), n);
}

/// Levels 2 and 3, features 0 and 1 for axes of the first, 2 for that of the second; centroids (0, 0), (3, 4) and 0,
/// 10, 20.
std::unique_ptr<Router> made_by_hand(const Trainer& trainer, const std::vector<float>& bias = std::vector<float>(6),
                                     const std::vector<float>& axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}) {
  const auto file = router_file("product_k_means", [&](ByteWriter& writer) {
    writer.array(std::span<const std::int32_t>(std::vector<std::int32_t>{2, 3}));
    testing::write_arrays(writer, {{0, 0, 0}, {1, 1, 1}, axes, {0, 0, 3, 4, 0, 10, 20}, bias});
  });
  return read_router(file, "made by hand", trainer);
}

TEST_CASE("a path's distance is the sum over the parts, the first level's expert counts slowest", "[routing]") {
  const FakeTrainer trainer({});
  const auto router = made_by_hand(trainer);
  CHECK(router->paths() == 6);
  CHECK(router->width() == 3);
  // (0, 0 | 19): 0 and 25 from the first part's centroids, 361, 81 and 1 from the second's.
  CHECK(router->scores(std::vector<float>{0, 0, 19}, std::vector<std::uint64_t>(1)) ==
        std::vector<float>{-361, -81, -1, -386, -106, -26});
  CHECK(route(*router, {0, 0, 19}, 4) == std::vector<PathId>{PathId{2}, PathId{5}, PathId{1}, PathId{4}});
  // (3, 4 | 1): 25 and 0; 1, 81 and 361. So path 3 = (1, 0) is the best, then (0, 0) with 26, then (1, 1) with 81.
  CHECK(route(*router, {3, 4, 1}, 3) == std::vector<PathId>{PathId{3}, PathId{0}, PathId{4}});
}

TEST_CASE("of equally near paths of a grid the lower ones come first", "[routing]") {
  const FakeTrainer trainer({});
  // (1.5, 2 | 5) is 6.25 from both centroids of the first part, and 25, 25 and 225 from the second's.
  CHECK(route(*made_by_hand(trainer), {1.5, 2, 5}, 6) ==
        std::vector<PathId>{PathId{0}, PathId{1}, PathId{3}, PathId{4}, PathId{2}, PathId{5}});
}

TEST_CASE("product k-means finds the rows and columns of a grid", "[routing]") {
  const FakeTrainer trainer({});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto features = corners({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    const auto router =
        fit_router(features, {.paths = 4, .width = 3, .seed = seed, .levels = {2, 2}}, kProduct, trainer);
    const auto routes = route(*router, features, 1);
    std::vector<std::int32_t> path;  // of each corner
    for (std::size_t corner = 0; corner < 4; ++corner) {
      path.push_back(index(routes[3 * corner]));
      CHECK(routes[3 * corner + 1] == routes[3 * corner]);
      CHECK(routes[3 * corner + 2] == routes[3 * corner]);
    }
    CHECK(std::set<std::int32_t>(path.begin(), path.end()).size() == 4);
    // Path (i, j) is 2 i + j: documents with the same first feature share i, with the same second one j.
    CHECK(path[0] / 2 == path[1] / 2);
    CHECK(path[2] / 2 == path[3] / 2);
    CHECK(path[0] % 2 == path[2] % 2);
    CHECK(path[1] % 2 == path[3] % 2);
  }
}

TEST_CASE("a level sees what lies along its axes", "[routing]") {
  const FakeTrainer trainer({});
  // Axes: features 2, -1 and 0.6 x 0 + 0.8 x 1. So (5, 10 | 0) is (0, -10 | 11): 100 and 9 + 196; 121, 1 and 81.
  const auto router = made_by_hand(trainer, std::vector<float>(6), {0, 0, 1, 0, -1, 0, 0.6F, 0.8F, 0});
  const auto scores = router->scores(std::vector<float>{5, 10, 0}, std::vector<std::uint64_t>(1));
  const std::vector<float> by_hand{-221, -101, -181, -326, -206, -286};
  for (std::size_t path = 0; path < 6; ++path) CHECK(scores.at(path) == Approx(by_hand[path]));
}

TEST_CASE("a path of a grid is nearer by its bias", "[routing]") {
  const FakeTrainer trainer({});
  const auto router = made_by_hand(trainer, {0, 0, 0, 400, 0, 0});
  CHECK(router->scores(std::vector<float>{0, 0, 19}, std::vector<std::uint64_t>(1)) ==
        std::vector<float>{-361, -81, -1, 14, -106, -26});
  CHECK(route(*router, {0, 0, 19}, 2) == std::vector<PathId>{PathId{3}, PathId{2}});
}

TEST_CASE("a path of the grid with hardly a router document gets some by a bias, where that is wanted", "[routing]") {
  const FakeTrainer trainer({});
  // 30 documents at each of three corners of a square, spread over a tenth of its sides.
  std::vector<float> features;
  for (int i = 0; i < 90; ++i) {
    const auto spread = [&](int column) {
      return 0.1 * draw_uniform(1, Draw::jitter, static_cast<std::uint64_t>(i * 2 + column));
    };
    features.push_back(static_cast<float>((i % 3 == 1 ? 1 : 0) + spread(0)));
    features.push_back(static_cast<float>((i % 3 == 2 ? 1 : 0) + spread(1)));
  }
  const auto counts = [&](bool calibrate_bias) {
    const auto router = fit_router(features, {.paths = 4, .width = 2, .levels = {2, 2}},
                                   {.method = "product_k_means", .calibrate_bias = calibrate_bias}, trainer);
    std::vector<int> count(4);
    for (const PathId path : route(*router, features, 1)) ++count[static_cast<std::size_t>(index(path))];
    return count;
  };
  std::vector<int> without = counts(false);
  std::sort(without.begin(), without.end());
  CHECK(without == std::vector<int>{0, 30, 30, 30});
  // A quarter of an equal share, of shares that add up to 1 and 1/16.
  std::vector<int> with = counts(true);
  std::sort(with.begin(), with.end());
  CHECK(with.front() >= 4);
  CHECK(with.front() <= 7);
}

TEST_CASE("product k-means over one level is k-means, where each feature may have an axis", "[routing]") {
  const FakeTrainer trainer({});
  const auto features = corners({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const RouterFit fit{.paths = 3, .width = 3, .seed = 4, .levels = {3}};
  const std::vector<std::uint64_t> hashes(12);
  const auto product = fit_router(features, fit, kProduct, trainer)->scores(features, hashes);
  const auto plain = fit_router(features, fit, {.method = "k_means"}, trainer)->scores(features, hashes);
  REQUIRE(product.size() == plain.size());
  // The same distances along other axes, but for rounding.
  for (std::size_t i = 0; i < plain.size(); ++i) CHECK(product[i] == Approx(plain[i]).margin(1e-4));
}

TEST_CASE("a level of one expert takes no axis from those that choose", "[routing]") {
  const FakeTrainer trainer({});
  const auto features = corners({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const std::vector<std::uint64_t> hashes(12);
  const auto scores = [&](const std::vector<std::int32_t>& levels) {
    const RouterFit fit{.paths = 4, .width = 3, .seed = 4, .levels = levels};
    const auto router = fit_router(features, fit, kProduct, trainer);
    return read_router(router->encode(), "test", trainer)->scores(features, hashes);
  };
  const auto alone = scores({4});
  CHECK(scores({1, 4}) == alone);
  CHECK(scores({4, 1, 1}) == alone);
  CHECK(scores({1, 2, 2}) == scores({2, 2}));
  const auto single = fit_router(features, {.paths = 1, .width = 3, .levels = {1, 1}}, kProduct, trainer);
  CHECK(route(*single, features, 1) == std::vector<PathId>(12, PathId{0}));
}

TEST_CASE("product k-means says what it cannot be fitted to", "[routing]") {
  const FakeTrainer trainer({});
  const auto features = corners({{0, 0}, {1, 1}});
  const auto fit = [&](const RouterFit& how) { return fit_router(features, how, kProduct, trainer); };
  CHECK_NOTHROW(fit({.paths = 12, .width = 3, .levels = {6, 2}}));
  const auto says = [](const char* what) { return Catch::Contains(what); };
  CHECK_THROWS_WITH(fit({.paths = 4, .width = 3}),
                    says("the 4 paths") && says("no full grid") && says("topology.levels"));
  CHECK_THROWS_WITH(fit({.paths = 5, .width = 3, .levels = {2, 2}}), says("no full grid"));
  CHECK_THROWS_WITH(fit({.paths = 14, .width = 3, .levels = {7, 2}}), says("6 router documents for 7 experts"));
  CHECK_THROWS_WITH(fit({.paths = 16, .width = 3, .levels = {2, 2, 2, 2}}), says("model.hidden=3") && says("4 levels"));
  CHECK_THROWS_AS(fit({.paths = 4, .width = 3}), ConfigError);
}

}  // namespace
}  // namespace dipaco
