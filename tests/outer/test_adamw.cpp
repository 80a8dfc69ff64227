#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/outer/adamw.hpp"

namespace dipaco::testing {

TEST_CASE("an AdamW step by hand", "[outer]") {
  std::vector<float> parameters{1.0F, -2.0F};
  std::vector<float> first{0.0F, 0.5F};
  std::vector<float> second{0.0F, 0.25F};
  adamw_step(parameters, first, second, std::vector<float>{0.5F, 0.0F},
             {.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 0, .weight_decay = 0.2, .count = 1});
  // First: m = 0.25, v = 0.0625; without bias 0.5 and 0.25, so the change is 0.5 / 0.5 = 1: 0.98 x 1 - 0.1.
  CHECK(first[0] == 0.25F);
  CHECK(second[0] == 0.0625F);
  CHECK(parameters[0] == Approx(0.88));
  // Second: m = 0.25, v = 0.1875; without bias 0.5 and 0.75: 0.98 x -2 - 0.1 x 0.5 / sqrt(0.75).
  CHECK(parameters[1] == Approx(-1.96 - 0.05 / std::sqrt(0.75)));
}

TEST_CASE("the bias of the moments counts for less the more steps there were", "[outer]") {
  const auto step = [](std::int64_t count) {
    std::vector<float> parameter{0.0F};
    std::vector<float> first{0.0F};
    std::vector<float> second{1.0F};
    adamw_step(parameter, first, second, std::vector<float>{1.0F},
               {.learning_rate = 1, .beta1 = 0.9, .beta2 = 0.9, .epsilon = 0, .count = count});
    return parameter[0];
  };
  CHECK(step(1) == Approx(-std::sqrt(0.1)));  // 1 / sqrt(1 / 0.1)
  CHECK(step(1000) == Approx(-0.1));
}

TEST_CASE("spans of other lengths are a bug", "[outer]") {
  std::vector<float> two(2);
  std::vector<float> three(3);
  CHECK_THROWS_AS(adamw_step(two, two, three, two, {}), std::logic_error);
}

}  // namespace dipaco::testing
