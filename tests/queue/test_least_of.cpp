#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "core/queue/least_of.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {

TEST_CASE("the least of some numbers stays until the last of its kind has moved on", "[queue]") {
  LeastOf<std::int32_t> numbers;
  numbers.add(4, 2);
  numbers.add(7);
  numbers.add(1, 0);  // not once
  CHECK(numbers.least() == 4);
  numbers.move(4, 9);
  CHECK(numbers.least() == 4);
  numbers.move(4, 8);
  CHECK(numbers.least() == 7);
  numbers.move(9, 2);
  CHECK(numbers.least() == 2);
  numbers.move(2, 2);
  CHECK(numbers.least() == 2);
}

TEST_CASE("the least of numbers that change is that of a walk over all of them", "[queue]") {
  LeastOf<std::int32_t> numbers;
  std::vector<std::int32_t> walked(6, 3);
  numbers.add(3, 6);
  Draws draws(5);
  for (int k = 0; k < 2000; ++k) {
    std::int32_t& one = walked[static_cast<std::size_t>(draws.below(6))];
    const std::int32_t to = draws.below(9);
    numbers.move(one, to);
    one = to;
    REQUIRE(numbers.least() == *std::ranges::min_element(walked));
  }
}

}  // namespace dipaco::testing
