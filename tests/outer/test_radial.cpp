#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/outer/outer_gradient.hpp"
#include "core/outer/radial.hpp"

namespace dipaco {
namespace {

using Tensors = std::vector<PartTensor>;

/// The direction that these contributions come to, by these weights.
std::vector<float> direction_of(const std::vector<std::vector<float>>& all, const std::vector<double>& weights,
                                const Tensors& tensors) {
  OuterAccumulator sum(all.front().size() + tensors.size());
  for (std::size_t k = 0; k < all.size(); ++k) sum.add(to_radial(all[k], tensors), weights[k], "path");
  return from_radial(sum.mean(1), tensors);
}

const Tensors kOne{{0, 2}};

}  // namespace

TEST_CASE("contributions of one length keep it, wherever they point", "[outer]") {
  // A plain mean of (2, 0) and (0, 2) is (1, 1).
  const auto found = direction_of({{2, 0}, {0, 2}}, {0.5, 0.5}, kOne);
  CHECK(found[0] == Approx(std::sqrt(2.0)).epsilon(1e-6));
  CHECK(found[1] == Approx(std::sqrt(2.0)).epsilon(1e-6));
}

TEST_CASE("lengths and directions are averaged apart, by the weights", "[outer]") {
  // Lengths 4 and 1 with weights 1/4 and 3/4 are 1.75; the directions come to (0.25, 0.75).
  const auto found = direction_of({{4, 0}, {0, 1}}, {0.25, 0.75}, kOne);
  const double norm = std::sqrt(0.25 * 0.25 + 0.75 * 0.75);
  CHECK(found[0] == Approx(1.75 * 0.25 / norm).epsilon(1e-6));
  CHECK(found[1] == Approx(1.75 * 0.75 / norm).epsilon(1e-6));
}

TEST_CASE("one contribution is its own average, and one of length 0 has no say in the direction", "[outer]") {
  const auto alone = direction_of({{3, -4}}, {1}, kOne);
  CHECK(alone[0] == Approx(3).epsilon(1e-6));
  CHECK(alone[1] == Approx(-4).epsilon(1e-6));
  const auto half = direction_of({{3, -4}, {0, 0}}, {0.5, 0.5}, kOne);
  CHECK(half[0] == Approx(1.5).epsilon(1e-6));
  CHECK(half[1] == Approx(-2).epsilon(1e-6));
}

TEST_CASE("each tensor has a length of its own, and plain ones have the mean of the values", "[outer]") {
  const Tensors tensors{{0, 2}, {2, 1}, {3, 2, true}};
  const auto found = direction_of({{2, 0, 5, 2, 0}, {0, 2, 1, 0, 2}}, {0.5, 0.5}, tensors);
  REQUIRE(found.size() == 5);
  CHECK(found[0] == Approx(std::sqrt(2.0)).epsilon(1e-6));
  CHECK(found[2] == Approx(3).epsilon(1e-6));
  CHECK(found[3] == 1);
  CHECK(found[4] == 1);
}

TEST_CASE("what cancels out comes to nothing, and what is not finite is found by whoever adds it", "[outer]") {
  CHECK(direction_of({{2, 0}, {-2, 0}}, {0.5, 0.5}, kOne) == std::vector<float>{0, 0});
  OuterAccumulator sum(3);
  CHECK_FALSE(sum.try_add(to_radial(std::vector<float>{1, std::numeric_limits<float>::infinity()}, kOne), 1));
}

}  // namespace dipaco
