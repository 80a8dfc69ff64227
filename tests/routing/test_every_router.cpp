// What holds for routers of every kind.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/routing/linear_router.hpp"
#include "core/routing/router.hpp"
#include "tests/prepare/fake_trainer.hpp"
#include "tests/routing/router_files.hpp"

namespace dipaco {
namespace {

using testing::error_of;
using testing::FakeTrainer;
using testing::hashes;
using testing::router_file;
using testing::write_arrays;

constexpr std::int32_t kPaths = 4;
constexpr std::size_t kDocuments = 40;

std::vector<float> features_of(std::size_t documents) {
  std::vector<float> features;
  for (std::size_t i = 0; i < 3 * documents; ++i) {
    features.push_back(static_cast<float>(draw_normal(1, Draw::jitter, i)));
  }
  return features;
}

/// One of each kind, to 4 paths by 3 features.
std::vector<std::unique_ptr<Router>> routers(const Trainer& trainer) {
  const auto features = features_of(kDocuments);
  std::vector<std::unique_ptr<Router>> all;
  for (const auto* method : {"k_means", "product_k_means", "random"}) {
    all.push_back(fit_router(features, {.paths = kPaths, .width = 3, .levels = {2, 2}}, {.method = method}, trainer));
  }
  std::vector<PathId> labels;
  for (std::size_t i = 0; i < kDocuments; ++i) labels.push_back(PathId{static_cast<std::int32_t>(i % kPaths)});
  all.push_back(fit_linear_router(features, labels, {.paths = kPaths, .width = 3}, trainer));
  return all;
}

TEST_CASE("the best path of a document is that of its highest score", "[routing]") {
  const FakeTrainer trainer({});
  const auto features = features_of(5000);  // more than one part
  for (const auto& router : routers(trainer)) {
    const auto scores = router->scores(features, hashes(5000));
    const auto routes = router->route(features, hashes(5000), 2);
    REQUIRE(scores.size() == 5000 * kPaths);
    bool best = true;
    for (std::size_t i = 0; i < 5000; ++i) {
      const auto own = std::span(scores).subspan(i * kPaths, kPaths);
      best = best && std::max_element(own.begin(), own.end()) - own.begin() == index(routes[2 * i]);
    }
    CHECK(best);
    const std::vector<float> last(features.end() - 3, features.end());
    CHECK(router->scores(last, std::vector<std::uint64_t>{hashes(5000).back()}) ==
          std::vector<float>(scores.end() - kPaths, scores.end()));
  }
}

TEST_CASE("the random router scores the path that it draws first", "[routing]") {
  const FakeTrainer trainer({});
  const auto router = fit_router({}, {.paths = 3, .width = 2}, {.method = "random"}, trainer);
  const auto scores = router->scores({}, hashes(50));
  CHECK(std::accumulate(scores.begin(), scores.end(), 0.0F) == 50);
  CHECK(std::count(scores.begin(), scores.end(), 1.0F) == 50);
}

TEST_CASE("a router of each kind reads back as one that routes alike", "[routing]") {
  const FakeTrainer trainer({});
  const auto features = features_of(100);
  for (const auto& router : routers(trainer)) {
    const auto again = read_router(router->encode(), "test", trainer);
    CHECK(again->paths() == kPaths);
    CHECK(again->width() == router->width());
    CHECK(again->encode() == router->encode());
    CHECK(again->scores(features, hashes(100)) == router->scores(features, hashes(100)));
    CHECK(again->route(features, hashes(100), 3) == router->route(features, hashes(100), 3));
  }
}

TEST_CASE("no router of any kind that is cut short or has a flipped bit is read", "[routing]") {
  const FakeTrainer trainer({});
  for (const auto& router : routers(trainer)) {
    auto bytes = router->encode();
    CHECK(error_of(bytes) == "no error");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      CHECK(error_of({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}) != "no error");
    }
    for (std::byte& byte : bytes) {
      byte ^= std::byte{0x01};
      CHECK(error_of(bytes) != "no error");
      byte ^= std::byte{0x01};
    }
  }
}

TEST_CASE("a distance that overflows is a data error, and no least distance", "[routing]") {
  const FakeTrainer trainer({});
  const float huge = std::numeric_limits<float>::max();
  const auto plain = router_file("k_means", [&](ByteWriter& writer) {
    writer.value(std::int32_t{2});
    write_arrays(writer, {{0, 0}, {1, 1}, {0, 0, huge, 0}});
  });
  const auto grid = router_file("product_k_means", [&](ByteWriter& writer) {
    writer.array(std::span<const std::int32_t>(std::vector<std::int32_t>{2}));
    write_arrays(writer, {{0, 0}, {1, 1}, {1, 0, 0, 1}, {0, 0, huge, 0}, {0, 0}});
  });
  for (const auto& file : {plain, grid}) {
    const auto router = read_router(file, "test", trainer);
    CHECK(router->route(std::vector<float>{1, 1}, hashes(1), 1) == std::vector<PathId>{PathId{0}});
    CHECK_THROWS_AS(router->route(std::vector<float>{10, 1}, hashes(1), 1), DataError);
    CHECK_THROWS_AS(router->scores(std::vector<float>{10, 1}, hashes(1)), DataError);
  }
}

TEST_CASE("a rightly sealed grid or classifier that does not fit together is not read", "[routing]") {
  using Numbers = std::vector<float>;
  const auto grid = [](std::vector<std::int32_t> levels, const std::vector<Numbers>& arrays) {
    return error_of(router_file("product_k_means", [&](ByteWriter& writer) {
      writer.array(std::span<const std::int32_t>(levels));
      write_arrays(writer, arrays);
    }));
  };
  const Numbers two{0, 0};
  const auto no_centroids = Catch::Contains("no centroids");
  const Numbers axes{1, 0, 0, 1};
  CHECK(grid({2, 3}, {two, two, axes, Numbers(5), Numbers(6)}) == "no error");
  CHECK_THAT(grid({2, 3}, {two, two, axes, Numbers(5), Numbers(5)}),
             Catch::Contains("a bias of 5 paths for a grid of 6"));
  CHECK_THAT(grid({2, 3}, {two, two, axes, Numbers(6), Numbers(6)}), no_centroids);
  CHECK_THAT(grid({2, 3}, {two, Numbers(3), axes, Numbers(5), Numbers(6)}), no_centroids);
  CHECK_THAT(grid({2, 3}, {Numbers(1), Numbers(1), Numbers(1), Numbers(5), Numbers(6)}), no_centroids);
  CHECK_THAT(grid({2, 3}, {two, two, Numbers(3), Numbers(5), Numbers(6)}), no_centroids);
  CHECK_THAT(grid({2, 3}, {two, two, Numbers(2), Numbers(5), Numbers(6)}), no_centroids);
  CHECK_THAT(grid({2, 3}, {two, two, Numbers(6), Numbers(8), Numbers(6)}), no_centroids);
  CHECK_THAT(grid({}, {two, two, axes, {}, {}}), no_centroids);
  CHECK_THAT(grid({-2, -3}, {two, two, axes, Numbers(5), Numbers(6)}), no_centroids);
  CHECK_THAT(grid({0, 5}, {two, two, axes, Numbers(5), {}}), no_centroids);
  CHECK(grid({256, 256}, {two, two, axes, Numbers(512), Numbers(65536)}) == "no error");
  CHECK_THAT(grid({256, 257}, {two, two, axes, Numbers(513), Numbers(65792)}), no_centroids);  // more than 65,536 paths
  CHECK_THAT(grid({2, 3}, {two, two, {0, 0, 0, 0, std::nanf("")}, Numbers(6)}), Catch::Contains("not finite"));

  const auto linear = [](const std::vector<Numbers>& arrays) {
    return error_of(router_file("linear", [&](ByteWriter& writer) { write_arrays(writer, arrays); }));
  };
  const auto no_weights = Catch::Contains("no weights");
  CHECK(linear({two, two, Numbers(6), Numbers(3)}) == "no error");
  CHECK_THAT(linear({two, two, Numbers(7), Numbers(3)}), no_weights);
  CHECK_THAT(linear({two, two, Numbers(6), Numbers(2)}), no_weights);
  CHECK_THAT(linear({two, Numbers(1), Numbers(6), Numbers(3)}), no_weights);
  CHECK_THAT(linear({two, two, {}, {}}), no_weights);
  CHECK_THAT(linear({{}, {}, {}, Numbers(3)}), no_weights);
  const float infinity = std::numeric_limits<float>::infinity();
  for (std::size_t bad = 0; bad < 4; ++bad) {
    std::vector<Numbers> arrays{two, two, Numbers(6), Numbers(3)};
    arrays[bad][1] = infinity;
    CHECK_THAT(linear(arrays), Catch::Contains("not finite"));
  }
}

TEST_CASE("features of another width or that are not finite are refused by each kind", "[routing]") {
  const FakeTrainer trainer({});
  for (const auto& router : routers(trainer)) {
    if (router->width() == 0) continue;
    CHECK_THROWS_WITH(router->route(features_of(9), hashes(10), 1), Catch::Contains("made for another model"));
    CHECK_THROWS_WITH(router->scores(features_of(9), hashes(8)), Catch::Contains("takes features of width 3"));
    auto features = features_of(5);
    features[7] = std::nanf("");
    CHECK_THROWS_WITH(router->scores(features, hashes(5)), Catch::Contains("feature 1 of document 2 is not finite"));
  }
}

TEST_CASE("a router for another topology or model is refused with both numbers", "[routing]") {
  const FakeTrainer trainer({});
  const auto says = [](const char* what) { return Catch::Contains(what); };
  for (const auto& router : routers(trainer)) {
    CHECK_NOTHROW(require_fits(*router, 4, 3, "a/router.bin"));
    CHECK_THROWS_WITH(require_fits(*router, 6, 3, "a/router.bin"), Catch::StartsWith("a/router.bin: ") &&
                                                                       says("4 paths") && says("has 6") &&
                                                                       says("another topology"));
    CHECK_THROWS_AS(require_fits(*router, 6, 3, "a/router.bin"), DataError);
    if (router->width() == 0) {
      CHECK_NOTHROW(require_fits(*router, 4, 5, "a/router.bin"));
    } else {
      CHECK_THROWS_WITH(require_fits(*router, 4, 5, "a/router.bin"), says("width 3") && says("width 5"));
    }
  }
}

}  // namespace
}  // namespace dipaco
