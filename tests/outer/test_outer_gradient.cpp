#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/outer/outer_gradient.hpp"

namespace dipaco {
namespace {

std::vector<float> made_up(std::size_t size, std::uint64_t which) {
  std::vector<float> values(size);
  for (std::size_t k = 0; k < size; ++k) {
    values[k] = static_cast<float>(1e-3 * draw_normal(1, Draw::jitter, which, k));
  }
  return values;
}

}  // namespace

TEST_CASE("paths of equal shards average to their mean", "[outer]") {
  const std::vector<float> before{1.0F, 0.0F};
  OuterAccumulator sum(2);
  for (const auto& after : {std::vector<float>{0.5F, 1.0F}, std::vector<float>{1.5F, 0.5F}}) {
    sum.add(outer_gradient(before, after), 0.5, "path");
  }
  CHECK(sum.mean(1.0) == std::vector<float>{0.0F, -0.75F});  // Alg. 1 line 13
}

TEST_CASE("shards of 1 and 3 documents weigh a quarter and three quarters", "[outer]") {
  const std::vector<double> sizes{1, 3};
  CHECK(path_weights(sizes) == std::vector<double>{0.25, 0.75});  // Eq. 2-3
}

TEST_CASE("weights add up to 1", "[outer]") {
  const std::vector<double> sizes{3, 7, 11, 2, 5};
  const auto weights = path_weights(sizes);
  CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(1.0).epsilon(1e-15));
}

TEST_CASE("the order in which outer gradients arrive changes no bit", "[outer]") {
  constexpr std::size_t kSize = 1001;
  std::vector<std::uint32_t> order(16);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<float> first;
  for (std::uint64_t round = 0; round < 5; ++round) {
    OuterAccumulator sum(kSize);
    for (const std::uint32_t path : order) sum.add(made_up(kSize, path), 1.0 / 3 + 0.01 * path, "path");
    if (round == 0) first = sum.mean(1.0);
    CHECK(sum.mean(1.0) == first);
    shuffle(order, 1, Draw::shuffle, round);
  }
}

TEST_CASE("a sum that was written and is added elsewhere changes no bit", "[outer]") {
  constexpr std::size_t kSize = 1001;
  OuterAccumulator here(kSize);
  OuterAccumulator all(kSize);
  OuterAccumulator elsewhere(kSize);
  elsewhere.add(made_up(kSize, 0), 0.5, "path");
  all.add(made_up(kSize, 0), 0.5, "path");
  for (const std::uint64_t path : {1, 2, 3}) {
    here.add(made_up(kSize, path), 0.125, "path");
    all.add(made_up(kSize, path), 0.125, "path");
  }
  const auto written = here.encode();
  REQUIRE(written);
  CHECK(written->size() == kSumBytes * kSize);
  elsewhere.add_encoded(*written);
  CHECK(elsewhere.mean(1) == all.mean(1));
  CHECK_THROWS_AS(elsewhere.add_encoded(std::span(*written).first(5)), std::logic_error);
}

TEST_CASE("a sum of 1/2 or more, or less than -1/2, is not written", "[outer]") {
  const auto is_written = [](float value) {
    OuterAccumulator sum(2);
    sum.add(std::vector<float>{0, value}, 1, "path");
    const auto bytes = sum.encode();
    if (!bytes) return false;
    OuterAccumulator back(2);
    back.add_encoded(*bytes);
    return back.mean(1) == std::vector<float>{0, value};
  };
  CHECK(is_written(-0.5F));
  CHECK(is_written(std::nextafter(0.5F, 0.0F)));
  CHECK(is_written(-0x1p-40F));
  CHECK_FALSE(is_written(0.5F));
  CHECK_FALSE(is_written(-0.5001F));
}

TEST_CASE("a fixed-point sum is within half a step a path of the exact sum", "[outer]") {
  OuterAccumulator sum(100);
  std::vector<double> exact(100);
  for (std::uint64_t path = 0; path < 8; ++path) {
    const auto difference = made_up(100, path);
    sum.add(difference, 0.3, "path");
    for (std::size_t k = 0; k < 100; ++k) exact[k] += 0.3 * static_cast<double>(difference[k]);
  }
  const auto mean = sum.mean(1.0);
  for (std::size_t k = 0; k < 100; ++k) {
    CHECK(std::abs(static_cast<double>(mean[k]) - exact[k]) <= 8 * 0x1p-41 + std::abs(exact[k]) * 0x1p-23);
  }
}

TEST_CASE("values that are not finite or too large are refused and name the path", "[outer]") {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(), 2000.0F, -2000.0F}) {
    OuterAccumulator sum(5);
    const std::vector<float> difference{0.0F, 0.0F, 0.0F, bad, 0.0F};
    CHECK_THROWS_WITH(sum.add(difference, 1.0, "path 3 in module 1.2"),
                      Catch::Contains("path 3 in module 1.2") && Catch::Contains("diverged"));
  }
}

TEST_CASE("a cleared accumulator starts again from nothing", "[outer]") {
  OuterAccumulator sum(1);
  sum.add(std::vector<float>{1.0F}, 1.0, "path");
  sum.clear();
  CHECK(sum.mean(1.0) == std::vector<float>{0.0F});
}

}  // namespace dipaco
