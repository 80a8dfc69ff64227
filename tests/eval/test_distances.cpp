#include <catch2/catch.hpp>
#include <cmath>

#include "core/base/error.hpp"
#include "core/eval/distances.hpp"

namespace dipaco {
namespace {

TEST_CASE("norms and distances of a level's experts are those worked by hand", "[eval]") {
  const std::vector<float> start{3, 4};
  const std::vector<std::vector<float>> experts{{3, 4}, {6, 8}, {3, 16}};
  const LevelDistances level = level_distances(start, experts);
  CHECK(level.start_norm == 5);
  CHECK(level.norms[1] == 10);
  CHECK(level.from_start == std::vector<double>{0, 5, 12});  // (0, 0), (3, 4), (0, 12)
  CHECK(level.between[0] == std::vector<double>{0, 5, 12});
  CHECK(level.between[1][2] == Approx(std::sqrt(9.0 + 64)));  // (3, -8)
  CHECK(level.between[2][1] == level.between[1][2]);
  CHECK(level_distances(start, experts, 3).between == level.between);
  CHECK(level_distances(start, experts, 3).norms == level.norms);
  CHECK_THROWS_AS(distance(start, std::vector<float>{1}), std::logic_error);
}

}  // namespace
}  // namespace dipaco
