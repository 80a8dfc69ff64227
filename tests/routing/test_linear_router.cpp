#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/routing/calibration.hpp"
#include "core/routing/linear_router.hpp"
#include "tests/prepare/fake_trainer.hpp"
#include "tests/routing/router_files.hpp"

namespace dipaco {
namespace {

using testing::FakeTrainer;
using testing::router_file;
using testing::write_arrays;

std::vector<std::uint64_t> zero_hashes(std::size_t count) { return std::vector<std::uint64_t>(count); }

std::unique_ptr<Router> router_of(const std::vector<std::vector<float>>& arrays, const Trainer& trainer) {
  return read_router(router_file("linear", [&](ByteWriter& writer) { write_arrays(writer, arrays); }), "made", trainer);
}

/// Documents of one feature, 0 to 1, and labels: below 0.5 path 0, above it path 1 once in five times, else path 0. So
/// path 1 has a tenth of the labels and is nowhere the likeliest.
struct RareLabels {
  std::vector<float> features;
  std::vector<PathId> labels;
};

RareLabels rare_labels() {
  RareLabels out;
  for (std::size_t i = 0; i < 2000; ++i) {
    const double feature = draw_uniform(1, Draw::jitter, i);
    out.features.push_back(static_cast<float>(feature));
    out.labels.push_back(PathId{feature > 0.5 && draw_uniform(2, Draw::jitter, i) < 0.2 ? 1 : 0});
  }
  return out;
}

TEST_CASE("a linear router's scores are logits plus bias of standardised features", "[routing]") {
  const FakeTrainer trainer({});
  // z = ((3 - 1) x 2, (1 - 0) x 1) = (4, 1); logits 4 + 0, 0 + 2, -4 - 1 with bias 0, 3, 0.5
  const auto router = router_of({{1, 0}, {2, 1}, {1, 0, 0, 2, -1, -1}, {0, 3, 0.5}}, trainer);
  const std::vector<float> features{3, 1};
  CHECK(router->paths() == 3);
  CHECK(router->width() == 2);
  CHECK(router->scores(features, zero_hashes(1)) == std::vector<float>{4, 5, -4.5});
  CHECK(router->route(features, zero_hashes(1), 3) == std::vector<PathId>{PathId{1}, PathId{0}, PathId{2}});
}

TEST_CASE("of equal logits the lower path's counts as the higher", "[routing]") {
  const FakeTrainer trainer({});
  const auto router = router_of({{0}, {1}, {2, 3, 2, 2}, {0, 0, 0, 0}}, trainer);
  CHECK(router->route(std::vector<float>{1}, zero_hashes(1), 4) ==
        std::vector<PathId>{PathId{1}, PathId{0}, PathId{2}, PathId{3}});
}

TEST_CASE("a linear router sends documents where the labels of their like say", "[routing]") {
  const FakeTrainer trainer({});
  // Path 0 around (0, 0), path 1 around (50, 0.1), path 2 around (0, 0.1).
  std::vector<float> features;
  std::vector<PathId> labels;
  for (std::size_t i = 0; i < 300; ++i) {
    features.push_back(static_cast<float>((i % 3 == 1 ? 50 : 0) + 5 * draw_normal(1, Draw::jitter, i)));
    features.push_back(static_cast<float>((i % 3 == 0 ? 0 : 0.1) + 0.01 * draw_normal(2, Draw::jitter, i)));
    labels.push_back(PathId{static_cast<std::int32_t>(i % 3)});
  }
  for (const bool calibrate : {false, true}) {
    const LinearFit fit{.paths = 3, .width = 2, .calibrate_bias = calibrate};
    const auto router = fit_linear_router(features, labels, fit, trainer);
    CHECK(router->route(features, zero_hashes(300), 1) == labels);
    CHECK(router->encode() == fit_linear_router(features, labels, fit, trainer)->encode());
  }
}

TEST_CASE("a path whose label is nowhere the likeliest starves but for its calibrated bias", "[routing]") {
  const FakeTrainer trainer({});
  const RareLabels data = rare_labels();
  const auto share_of = [&](bool calibrate) {
    const LinearFit fit{.paths = 2, .width = 1, .calibrate_bias = calibrate};
    const auto routes =
        fit_linear_router(data.features, data.labels, fit, trainer)->route(data.features, zero_hashes(2000), 1);
    return static_cast<double>(std::count(routes.begin(), routes.end(), PathId{1})) / 2000;
  };
  const double target = calibration_targets(data.labels, 2)[1];
  CHECK(target > 0.1);  // an eighth at least, less what that adds to the sum
  CHECK(share_of(false) < 0.1 * target);
  CHECK(share_of(true) == Approx(target).epsilon(0.1));
}

TEST_CASE("what a linear router cannot be fitted to is told apart by who must act", "[routing]") {
  const FakeTrainer trainer({});
  RareLabels data = rare_labels();
  const LinearFit fit{.paths = 2, .width = 1};
  CHECK_THROWS_AS(fit_linear_router({}, {}, fit, trainer), ConfigError);
  CHECK_THROWS_AS(fit_linear_router(data.features, data.labels, {.paths = 1, .width = 1}, trainer), std::logic_error);
  CHECK_THROWS_AS(fit_linear_router(data.features, data.labels, {.paths = 2, .width = 2}, trainer), std::logic_error);
  data.features[7] = std::nanf("");
  CHECK_THROWS_WITH(fit_linear_router(data.features, data.labels, fit, trainer),
                    Catch::Contains("feature 0 of document 7 is not finite"));
}

TEST_CASE("a score that is not a number is a data error", "[routing]") {
  const FakeTrainer trainer({});
  const float huge = std::numeric_limits<float>::max();
  const auto router = router_of({{0, 0}, {1, 1}, {huge, -huge, 1, 1}, {0, 0}}, trainer);
  CHECK_NOTHROW(router->route(std::vector<float>{1, 1}, zero_hashes(1), 1));
  CHECK_THROWS_AS(router->route(std::vector<float>{10, 10}, zero_hashes(1), 1), DataError);
  CHECK_THROWS_AS(router->scores(std::vector<float>{10, 10}, zero_hashes(1)), DataError);
}

}  // namespace
}  // namespace dipaco
