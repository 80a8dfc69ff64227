#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/coordinator/tables/path_losses.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {

TEST_CASE("the mean loss is that of the paths that have one", "[coordinator]") {
  PathLosses losses(9);  // more than there are changes here: the sum is never made of all
  CHECK(losses.mean() == 0);
  losses.set(PathId{1}, 3.0);
  CHECK(losses.of(PathId{1}) == 3.0);
  CHECK(losses.of(PathId{0}) == 0.0);
  CHECK(losses.mean() == 3.0);
  losses.set(PathId{3}, 2.0);
  CHECK(losses.mean() == 2.5);  // (3 + 2) / 2
  losses.set(PathId{1}, 1.0);
  CHECK(losses.mean() == 1.5);  // (1 + 2) / 2
  losses.set(PathId{1}, 0.0);   // nothing committed, as a restart may say
  CHECK(losses.mean() == 2.0);
}

TEST_CASE("what a huge loss took from the sum by rounding is back after a round of the paths", "[coordinator]") {
  PathLosses losses(2);
  losses.set(PathId{0}, 1e17);
  losses.set(PathId{1}, 1.0);  // 1e17 + 1 rounds to 1e17
  losses.set(PathId{0}, 3.0);
  losses.set(PathId{1}, 1.0);
  CHECK(losses.mean() == 2.0);  // (3 + 1) / 2
}

TEST_CASE("a loss that was not finite leaves the mean within a round of the paths", "[coordinator]") {
  for (const double broken : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    PathLosses losses(3);
    losses.set(PathId{0}, broken);
    CHECK_FALSE(std::isfinite(losses.mean()));
    for (std::int32_t p = 0; p < 3; ++p) losses.set(PathId{p}, 4.0);
    // Three changes after the broken one: the sum was made of all at least once since.
    losses.set(PathId{0}, 4.0);
    losses.set(PathId{1}, 4.0);
    CHECK(losses.mean() == 4.0);
  }
}

TEST_CASE("the mean loss is that of a walk over all paths, whatever has happened", "[coordinator]") {
  constexpr std::int32_t kPaths = 7;
  PathLosses losses(kPaths);
  std::vector<double> plain(kPaths);
  Draws draws(5);
  for (int k = 0; k < 3000; ++k) {
    const std::int32_t path = draws.below(kPaths);
    const double loss = draws.below(64) / 8.0;  // sums of eighths are exact; 0 among them
    losses.set(PathId{path}, loss);
    plain[static_cast<std::size_t>(path)] = loss;
    double sum = 0;
    int known = 0;
    for (const double each : plain) {
      sum += each;
      known += each != 0 ? 1 : 0;
    }
    REQUIRE(losses.mean() == (known == 0 ? 0 : sum / known));
    REQUIRE(losses.of(PathId{path}) == loss);
  }
}

}  // namespace dipaco::testing
