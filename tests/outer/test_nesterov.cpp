#include <catch2/catch.hpp>
#include <vector>

#include "core/outer/nesterov.hpp"
#include "core/outer/outer_gradient.hpp"

namespace dipaco {

TEST_CASE("an outer step with rate 1 and no momentum lands on the worker's parameters", "[outer]") {
  std::vector<float> params{1.0F, 2.0F};
  std::vector<float> velocity{0.0F, 0.0F};
  const std::vector<float> worker{0.5F, 3.0F};
  nesterov_step(params, velocity, outer_gradient(params, worker), {.rate = 1.0, .momentum = 0.0});
  CHECK(params == worker);
}

TEST_CASE("two outer steps follow the rule worked by hand", "[outer]") {
  std::vector<float> params{1.0F};
  std::vector<float> velocity{0.0F};
  const std::vector<float> delta{0.5F};
  // v = 0.5; p = 1 - 0.5 (0.5 + 0.5 * 0.5) = 0.625
  nesterov_step(params, velocity, delta, {.rate = 0.5, .momentum = 0.5});
  CHECK(velocity[0] == 0.5F);
  CHECK(params[0] == 0.625F);
  // v = 0.25 + 0.5 = 0.75; p = 0.625 - 0.5 (0.5 + 0.375) = 0.1875
  nesterov_step(params, velocity, delta, {.rate = 0.5, .momentum = 0.5});
  CHECK(velocity[0] == 0.75F);
  CHECK(params[0] == 0.1875F);
}

TEST_CASE("rescaling leaves a path-specific module alone and multiplies 16 paths' by 4", "[outer]") {
  CHECK(rescale_factor(true, 1) == 1.0);  // §2.7
  CHECK(rescale_factor(true, 16) == 4.0);
  CHECK(rescale_factor(false, 16) == 1.0);
}

TEST_CASE("spans of different lengths are a bug", "[outer]") {
  std::vector<float> two(2);
  std::vector<float> three(3);
  CHECK_THROWS_AS(nesterov_step(two, two, three, {}), std::logic_error);
}

}  // namespace dipaco
