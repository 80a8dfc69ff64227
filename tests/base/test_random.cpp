#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "core/base/random.hpp"

namespace dipaco {

TEST_CASE("a draw depends on its arguments alone", "[base]") {
  CHECK(draw_bits(1, Draw::shuffle, 2, 3) == draw_bits(1, Draw::shuffle, 2, 3));
  CHECK(draw_bits(1, Draw::shuffle, 2, 3) != draw_bits(2, Draw::shuffle, 2, 3));
  CHECK(draw_bits(1, Draw::shuffle, 2, 3) != draw_bits(1, Draw::split, 2, 3));
  CHECK(draw_bits(1, Draw::shuffle, 2, 3) != draw_bits(1, Draw::shuffle, 3, 2));
}

TEST_CASE("uniform draws have the mean and normal draws the deviation of their distribution", "[base]") {
  constexpr int kDraws = 20000;
  double uniform = 0;
  double square = 0;
  for (std::uint64_t k = 0; k < kDraws; ++k) {
    uniform += draw_uniform(7, Draw::jitter, k) / kDraws;
    const double normal = draw_normal(7, Draw::jitter, k);
    square += normal * normal / kDraws;
  }
  CHECK(uniform == Approx(0.5).margin(0.01));  // standard error 0.002
  CHECK(square == Approx(1.0).margin(0.05));   // standard error 0.01
}

TEST_CASE("draws below n reach every number and none from n on", "[base]") {
  std::vector<int> seen(5);
  for (std::uint64_t k = 0; k < 200; ++k) ++seen.at(draw_below(5, 1, Draw::jitter, k));
  CHECK(*std::min_element(seen.begin(), seen.end()) > 0);
}

TEST_CASE("a shuffle keeps every item and differs from epoch to epoch", "[base]") {
  std::vector<std::uint32_t> first(100);
  std::iota(first.begin(), first.end(), 0U);
  auto second = first;
  const auto sorted = first;
  shuffle(first, 1, Draw::shuffle, 0);
  shuffle(second, 1, Draw::shuffle, 1);
  CHECK(first != second);
  CHECK(first != sorted);
  CHECK(std::is_permutation(first.begin(), first.end(), sorted.begin()));
}

}  // namespace dipaco
