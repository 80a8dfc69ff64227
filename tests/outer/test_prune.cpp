#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/outer/prune.hpp"

namespace dipaco {
namespace {

std::vector<float> pruned(std::vector<float> values, std::size_t columns, double share, PruneBy by = PruneBy::sign) {
  prune(values, columns, share, by);
  return values;
}

}  // namespace

TEST_CASE("of each neuron those values go first that point against its sum, the smallest first", "[outer]") {
  // The first row's sum is 3, the second's -2: of four values a quarter, half and three quarters go.
  const std::vector<float> two{-1, 4, 1, -1.5, 1, -4, -3, 4};
  CHECK(pruned(two, 4, 0.25) == std::vector<float>{0, 4, 1, -1.5, 0, -4, -3, 4});
  CHECK(pruned(two, 4, 0.5) == std::vector<float>{0, 4, 1, 0, 0, -4, -3, 0});
  CHECK(pruned(two, 4, 0.75) == std::vector<float>{0, 4, 0, 0, 0, -4, 0, 0});
}

TEST_CASE("by magnitude the smallest of each neuron go, whatever their sign", "[outer]") {
  const std::vector<float> two{-1, 4, 1, -1.5, 1, -4, -3, 4};
  CHECK(pruned(two, 4, 0.5, PruneBy::magnitude) == std::vector<float>{0, 4, 0, -1.5, 0, -4, 0, 4});
}

TEST_CASE("a share is rounded down, and of equal values the first goes", "[outer]") {
  CHECK(pruned({1, 1, 1}, 3, 0.6) == std::vector<float>{0, 1, 1});
  CHECK(pruned({1, 1, 1}, 3, 0.3) == std::vector<float>{1, 1, 1});
  CHECK(pruned({2, -2, 1, -1}, 4, 0.5) == std::vector<float>{2, -2, 0, 0});  // the sum is 0: the smallest go
}

TEST_CASE("a neuron with a value that is not finite keeps all", "[outer]") {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const auto left = pruned({1, none, 2, 1, 3, 2}, 3, 0.5);
  CHECK(std::isnan(left[1]));
  CHECK(left[0] == 1);
  CHECK(std::count(left.begin(), left.end(), 0.0F) == 1);
}

TEST_CASE("pruning wants whole neurons", "[outer]") {
  CHECK_THROWS_AS(pruned({1, 2, 3}, 2, 0.5), std::logic_error);
  CHECK_THROWS_AS(pruned({1}, 0, 0.5), std::logic_error);
}

}  // namespace dipaco
