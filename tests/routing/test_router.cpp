#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/sealed.hpp"
#include "core/routing/router.hpp"
#include "tests/prepare/fake_trainer.hpp"
#include "tests/routing/router_files.hpp"

namespace dipaco {
namespace {

using testing::error_of;
using testing::FakeTrainer;
using testing::hashes;

const RoutingOptions kKMeansRouting{.method = "k_means"};
const RoutingOptions kRandomRouting{.method = "random"};

/// Three documents a path around 0, 100 and 200 in the first feature; the second is constant.
std::vector<float> three_groups() { return {-1, 7, 0, 7, 1, 7, 99, 7, 100, 7, 101, 7, 199, 7, 200, 7, 201, 7}; }

TEST_CASE("a k-means router sends a document to the nearest centroids, best first", "[routing]") {
  const FakeTrainer trainer({});
  const auto router = fit_router(three_groups(), {.paths = 3, .width = 2}, kKMeansRouting, trainer);
  REQUIRE(router->paths() == 3);
  const auto path_of = [&](float x) {
    const std::vector<float> feature{x, 7};
    return router->route(feature, hashes(1), 1)[0];
  };
  CHECK(path_of(0) == path_of(30));
  CHECK(path_of(100) == path_of(70));
  CHECK(path_of(200) == path_of(1000));
  CHECK(std::set<PathId>{path_of(0), path_of(100), path_of(200)}.size() == 3);
  // 130 is 30 from the centroid 100 and 70 from 200; 170 the other way round; 40 is 40 from 0 and 60 from 100.
  const std::vector<float> between{130, 7, 170, 7, 40, 7};
  const PathId low = path_of(0);
  const PathId middle = path_of(100);
  const PathId high = path_of(200);
  CHECK(router->route(between, hashes(3), 2) == std::vector<PathId>{middle, high, high, middle, low, middle});
  CHECK(router->route(between, hashes(3), 3) ==
        std::vector<PathId>{middle, high, low, high, middle, low, low, middle, high});
}

TEST_CASE("features of unlike size count alike", "[routing]") {
  const FakeTrainer trainer({});
  // The first feature spreads over thousands without any order; the second tells two groups apart by 0.01.
  std::vector<float> features;
  for (std::uint64_t i = 0; i < 200; ++i) {
    features.push_back(static_cast<float>(1000 * draw_uniform(1, Draw::jitter, i)));
    features.push_back(i % 2 == 0 ? 0.50F : 0.51F);
  }
  const auto router = fit_router(features, {.paths = 2, .width = 2}, kKMeansRouting, trainer);
  const auto routes = router->route(features, hashes(200), 1);
  for (std::size_t i = 0; i < 200; ++i) CHECK(routes[i] == routes[i % 2]);
  CHECK(routes[0] != routes[1]);
}

TEST_CASE("where a document goes depends on no other document", "[routing]") {
  const FakeTrainer trainer({});
  const auto kept = hashes(5000);  // more than one chunk of distances
  std::vector<float> features;
  for (const std::uint64_t hash : kept) features.push_back(static_cast<float>(draw_uniform(2, Draw::jitter, hash)));
  for (const RoutingOptions& options : {kKMeansRouting, kRandomRouting}) {
    const auto router = fit_router(features, {.paths = 5, .width = 1}, options, trainer);
    const auto routes = router->route(features, kept, 2);
    CHECK(routes == fit_router(features, {.paths = 5, .width = 1}, options, trainer)->route(features, kept, 2));
    for (std::size_t i = 0; i < kept.size(); i += 777) {
      const auto alone = router->route(std::span(features).subspan(i, 1), std::span(kept).subspan(i, 1), 2);
      CHECK(alone == std::vector<PathId>{routes[2 * i], routes[2 * i + 1]});
    }
  }
}

TEST_CASE("the first of the n best paths is the best", "[routing]") {
  const FakeTrainer trainer({});
  for (const RoutingOptions& options : {kKMeansRouting, kRandomRouting}) {
    const auto router = fit_router(three_groups(), {.paths = 3, .width = 2}, options, trainer);
    const auto top1 = router->route(three_groups(), hashes(9), 1);
    const auto top3 = router->route(three_groups(), hashes(9), 3);
    for (std::size_t i = 0; i < 9; ++i) {
      CHECK(top3[3 * i] == top1[i]);
      CHECK(std::set<PathId>(top3.begin() + 3 * static_cast<long>(i), top3.begin() + 3 * static_cast<long>(i) + 3) ==
            std::set<PathId>{PathId{0}, PathId{1}, PathId{2}});
    }
  }
}

TEST_CASE("the random router fills paths evenly and draws by hash and seed", "[routing]") {
  const FakeTrainer trainer({});
  const auto kept = hashes(8000);
  const auto router = fit_router({}, {.paths = 8, .width = 2, .seed = 1}, kRandomRouting, trainer);
  const auto routes = router->route({}, kept, 1);
  for (std::int32_t path = 0; path < 8; ++path) {
    // 1000 expected, deviation sqrt(8000 x 1/8 x 7/8) = 30
    CHECK(std::abs(std::count(routes.begin(), routes.end(), PathId{path}) - 1000) < 120);
  }
  const auto other = fit_router({}, {.paths = 8, .width = 2, .seed = 2}, kRandomRouting, trainer);
  CHECK(other->route({}, kept, 1) != routes);
}

TEST_CASE("a router reads back as one that routes alike", "[routing]") {
  const FakeTrainer trainer({});
  for (const RoutingOptions& options : {kKMeansRouting, kRandomRouting}) {
    const auto router = fit_router(three_groups(), {.paths = 3, .width = 2, .seed = 5}, options, trainer);
    const auto again = read_router(router->encode(), "test", trainer);
    CHECK(again->paths() == 3);
    CHECK(again->encode() == router->encode());
    CHECK(again->route(three_groups(), hashes(9), 2) == router->route(three_groups(), hashes(9), 2));
  }
}

TEST_CASE("no router that is cut short or has a flipped bit is read", "[routing]") {
  const FakeTrainer trainer({});
  for (const RoutingOptions& options : {kKMeansRouting, kRandomRouting}) {
    auto bytes = fit_router(three_groups(), {.paths = 3, .width = 2}, options, trainer)->encode();
    CHECK(error_of(bytes) == "no error");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      CHECK_THAT(error_of({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}),
                 Catch::StartsWith("some/router.bin: "));
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] ^= std::byte{0x10};
      CHECK(error_of(bytes) != "no error");
      bytes[i] ^= std::byte{0x10};
    }
  }
}

TEST_CASE("a rightly sealed router that does not fit together is not read", "[routing]") {
  const auto file = [](const std::string& method, const std::function<void(ByteWriter&)>& body) {
    ByteWriter writer = begin_sealed({.magic = "DIPACORT", .version = 2, .noun = "router"});
    writer.text(method);
    body(writer);
    return finish_sealed(std::move(writer));
  };
  const auto k_means = [&](std::int32_t paths, std::size_t mean, std::size_t scale, std::vector<float> centroids) {
    return file("k_means", [&](ByteWriter& writer) {
      writer.value(paths);
      writer.array(std::span<const float>(std::vector<float>(mean)));
      writer.array(std::span<const float>(std::vector<float>(scale)));
      writer.array(std::span<const float>(centroids));
    });
  };
  CHECK(error_of(k_means(2, 3, 3, std::vector<float>(6))) == "no error");
  CHECK_THAT(error_of(k_means(2, 3, 3, std::vector<float>(7))), Catch::Contains("no centroids"));
  CHECK_THAT(error_of(k_means(3, 3, 3, std::vector<float>(6))), Catch::Contains("no centroids"));
  CHECK_THAT(error_of(k_means(2, 3, 2, std::vector<float>(6))), Catch::Contains("no centroids"));
  CHECK_THAT(error_of(k_means(-2, 3, 3, std::vector<float>(6))), Catch::Contains("no centroids"));
  CHECK_THAT(error_of(k_means(0, 0, 0, {})), Catch::Contains("no centroids"));
  CHECK_THAT(error_of(k_means(1, 1, 1, {std::nanf("")})), Catch::Contains("not finite"));
  CHECK_THAT(error_of(file("oracle", [](ByteWriter&) {})), Catch::Contains("unknown method \"oracle\""));
  CHECK_THAT(error_of(file("random", [](ByteWriter& w) { w.value(std::int32_t{0}); })), Catch::Contains("to 0 paths"));
  CHECK_THAT(error_of(file("random",
                           [](ByteWriter& w) {
                             w.value(std::int32_t{1});
                             w.value(std::uint64_t{1});
                             w.value(std::uint8_t{1});
                           })),
             Catch::Contains("1 bytes too many"));
}

TEST_CASE("features that are not finite or of another width are data errors", "[routing]") {
  const FakeTrainer trainer({});
  const RouterFit fit{.paths = 3, .width = 2};
  const auto router = fit_router(three_groups(), fit, kKMeansRouting, trainer);
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    std::vector<float> features = three_groups();
    features[5] = bad;
    CHECK_THROWS_WITH(fit_router(features, fit, kKMeansRouting, trainer),
                      Catch::Contains("feature 1 of document 2 is not finite"));
    CHECK_THROWS_AS(router->route(features, hashes(9), 1), DataError);
  }
  CHECK_THROWS_WITH(router->route(three_groups(), hashes(6), 1), Catch::Contains("takes features of width 2"));
  CHECK_THROWS_AS(fit_router(std::vector<float>(7), fit, kKMeansRouting, trainer), DataError);
}

TEST_CASE("an unknown method and too few documents are errors that say what to do", "[routing]") {
  const FakeTrainer trainer({});
  CHECK_THROWS_WITH(fit_router({}, {.paths = 1, .width = 1}, {.method = "kmeans"}, trainer),
                    Catch::Contains("routing.method") && Catch::Contains("did you mean \"k_means\"?"));
  CHECK_THROWS_WITH(fit_router(three_groups(), {.paths = 10, .width = 2}, kKMeansRouting, trainer),
                    Catch::Contains("9 router documents for 10 paths") && Catch::Contains("topology.levels"));
  CHECK_THROWS_AS(fit_router({}, {.paths = 1, .width = 1}, {.method = "x"}, trainer), ConfigError);
}

TEST_CASE("router documents whose scores would not be in memory are refused where a bias is fitted to them",
          "[routing]") {
  const RouterFit fit{.paths = 32 * 32 * 32, .width = 128, .levels = {32, 32, 32}};
  const std::size_t most = (std::size_t{1} << 31U) / static_cast<std::size_t>(fit.paths);
  RoutingOptions options{.method = "product_k_means"};
  CHECK_NOTHROW(require_router_documents(most, fit, options));
  CHECK_THROWS_WITH(
      require_router_documents(most + 1, fit, options),
      Catch::Contains("65537 router documents under 32768 paths") && Catch::Contains("set routing.calibrate_bias=off"));
  CHECK_THROWS_AS(require_router_documents(most + 1, fit, options), ConfigError);
  options.calibrate_bias = false;
  CHECK_NOTHROW(require_router_documents(most + 1, fit, options));
  CHECK_NOTHROW(require_router_documents(most + 1, fit, kRandomRouting));
  options = {.method = "random", .reshard_at = "4"};
  CHECK_THROWS_AS(require_router_documents(most + 1, fit, options), ConfigError);
}

}  // namespace
}  // namespace dipaco
