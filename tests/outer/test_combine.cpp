#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "core/outer/asynchronous.hpp"
#include "core/outer/combine.hpp"

namespace dipaco {

TEST_CASE("delay compensation adds strength times the square of a value times how far its parameter has moved",
          "[outer]") {
  const std::vector<float> base{1, 1, 1, 1};
  const std::vector<float> newest{1, 1.5F, 0.75F, 3};
  std::vector<float> values{2, 2, -4, 0};
  DelayCompensation(0.5).adjust(values, base, newest);
  // 2 + 0.5 4 0; 2 + 0.5 4 0.5; -4 + 0.5 16 (-0.25); 0
  CHECK(values == std::vector<float>{2, 3, -6, 0});
}

TEST_CASE("a contribution that began with the newest version is as it was", "[outer]") {
  const std::vector<float> newest{0.1F, -7, 1e-30F};
  std::vector<float> values{3e-3F, 1e8F, -1};
  const std::vector<float> before = values;
  DelayCompensation(2).adjust(values, newest, newest);
  CHECK(values == before);
}

TEST_CASE("a contribution is as long as its part", "[outer]") {
  std::vector<float> values{1, 2};
  const std::vector<float> part{1};
  CHECK_THROWS_AS(DelayCompensation(1).adjust(values, part, part), std::logic_error);
}

TEST_CASE("the asynchronous policy changes contributions only where it is asked to", "[outer]") {
  CHECK(asynchronous_policy({}).combine == nullptr);
  CHECK(asynchronous_policy({.delay_compensation = 0.5}).combine != nullptr);
}

}  // namespace dipaco
