#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <variant>
#include <vector>

#include "core/outer/buffer.hpp"
#include "core/outer/optimizers.hpp"
#include "core/outer/staleness.hpp"
#include "tests/outer/after_each.hpp"

namespace dipaco {
namespace {

OuterBuffer buffered_nesterov(const NesterovOptions& options, std::int64_t buffer) {
  return {std::make_unique<OuterNesterov>(options), buffer};
}

}  // namespace

TEST_CASE("a part that gathers keeps still until the K-th contribution, and steps by their mean", "[outer]") {
  // By hand: the means 2 and 3 with momentum 0.5: m = 2, -(2 + 1) = -3; m = 1 + 3 = 4, -3 - (3 + 2) = -8.
  const auto found = testing::after_each(buffered_nesterov({.rate = 1, .momentum = 0.5}, 2), {1, 3, 2, 4, 7}, 4);
  CHECK(found == std::vector<double>{0, -3, -3, -8, -8});
}

TEST_CASE("the other optimizer counts its own steps", "[outer]") {
  std::vector<int> versions;
  const auto options = [&versions](Version version) {
    versions.push_back(number(version));
    return AdamWStep{.learning_rate = 0.1, .epsilon = 1e-8, .count = number(version) + 1};
  };
  const OuterBuffer optimizer(std::make_unique<OuterAdamW>(options, false), 3);
  REQUIRE(optimizer.arrays().size() == 3);
  CHECK(optimizer.arrays().back().name == "buffer");
  testing::after_each(optimizer, std::vector<float>(9, 1), 5);
  CHECK(versions == std::vector<int>{0, 1, 2});
}

TEST_CASE("a part gathers no more than as many contributions as it has paths", "[outer]") {
  CHECK(gathered(4, 8) == 4);
  CHECK(gathered(4, 1) == 1);
  const OuterNesterov alone({});
  CHECK(testing::after_each(buffered_nesterov({}, 4), {1, 3, 2}, 1) == testing::after_each(alone, {1, 3, 2}, 1));
}

TEST_CASE("staleness counts the steps that have moved the part", "[outer]") {
  const PartView part{.version = Version{9}, .members = 8};
  const auto weight = [&](std::int32_t base, std::int64_t most) {
    const StalenessOptions options{.polynomial = true, .max_staleness = most, .buffer = 4};
    const Verdict verdict = weigh_staleness(options, part, {.base = Version{base}, .share = 1});
    return std::holds_alternative<Add>(verdict) ? std::get<Add>(verdict).weight : 0.0;
  };
  CHECK(weight(8, 0) == 1);  // the eighth contribution has moved it, and the ninth is in its buffer
  CHECK(weight(7, 0) == 1 / std::sqrt(2.0));
  CHECK(weight(3, 0) == 1 / std::sqrt(3.0));
  CHECK(weight(4, 1) > 0);
  CHECK(weight(3, 1) == 0);
}

TEST_CASE("a buffer refuses arrays of other lengths", "[outer]") {
  const auto optimizer = buffered_nesterov({}, 2);
  std::vector<float> two(2);
  std::vector<float> three(3);
  const std::vector<std::span<float>> unequal{two, three};
  CHECK_THROWS_AS(optimizer.step({}, two, unequal, two), std::logic_error);
  CHECK_THROWS_AS(optimizer.step({}, two, {}, two), std::logic_error);
}

}  // namespace dipaco
