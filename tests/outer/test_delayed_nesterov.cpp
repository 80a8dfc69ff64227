#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "core/outer/delayed_nesterov.hpp"
#include "core/outer/nesterov.hpp"
#include "tests/outer/after_each.hpp"

namespace dipaco {
namespace {

/// The parameter, from 0, after each of the contributions.
std::vector<double> path_of(const DelayedNesterovOptions& options, const std::vector<float>& contributions,
                            std::int32_t paths = 2) {
  return testing::after_each(OuterDelayedNesterov(options), contributions, paths);
}

void check_near(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) CHECK(found[k] == Approx(expected[k]).epsilon(1e-6));
}

const std::vector<float> kArrivals{1, 3, 2, 4};

}  // namespace

TEST_CASE("delayed Nesterov moves by an N-th at once, and its momentum at every N-th contribution", "[outer]") {
  // By hand, c = 0: -1/2; buffer 4, m = 4/2: -(0.5 m + 3/2) is -3; -2/2: -4; buffer 6, m = 1 + 3: -(0.5 m + 4/2): -8.
  check_near(path_of({.rate = 1, .momentum = 0.5, .delay = 2}, kArrivals), {-0.5, -3, -4, -8});
  check_near(path_of({.rate = 0.7, .momentum = 0.9, .delay = 2}, kArrivals), {-0.35, -2.66, -3.36, -7.784});
}

TEST_CASE("with c a part of the momentum goes into each step between", "[outer]") {
  check_near(path_of({.rate = 1, .momentum = 0.5, .between = 0.5, .delay = 2}, kArrivals), {-0.5, -2.5, -4, -7});
  check_near(path_of({.rate = 0.7, .momentum = 0.9, .between = 0.5, .delay = 2}, kArrivals),
             {-0.35, -2.03, -3.36, -6.272});
}

TEST_CASE("N contributions end where one Nesterov step by their mean does", "[outer]") {
  std::vector<float> parameter{0};
  std::vector<float> velocity{0};
  for (const float mean : {2.0F, 3.0F}) {
    nesterov_step(parameter, velocity, std::vector<float>{mean}, {.rate = 0.7, .momentum = 0.9});
  }
  CHECK(path_of({.delay = 2}, kArrivals).back() == Approx(parameter[0]).epsilon(1e-6));
}

TEST_CASE("equal contributions from rest move by 1 + momentum of one, not by more", "[outer]") {
  // What averages the whole buffer once more at the N-th, or steps by Nesterov each time, gets -3.43 or -8.5.
  CHECK(path_of({.delay = 4}, {1, 1, 1, 1}).back() == Approx(-0.7 * 1.9).epsilon(1e-6));
}

TEST_CASE("what c moves earlier adds up: theta_c - theta_0 = rate (N - 1) c momentum m", "[outer]") {
  const auto without = path_of({.rate = 0.7, .momentum = 0.9, .delay = 2}, kArrivals);
  const auto with = path_of({.rate = 0.7, .momentum = 0.9, .between = 0.25, .delay = 2}, kArrivals);
  CHECK(with.back() - without.back() == Approx(0.7 * 0.25 * 0.9 * 4.8).epsilon(1e-5));  // m is 4.8 after two buffers
}

TEST_CASE("N is the number of the part's paths where no delay is named, and with 1 it is Nesterov", "[outer]") {
  CHECK(path_of({}, kArrivals, 2) == path_of({.delay = 2}, kArrivals, 7));
  std::vector<float> parameter{0};
  std::vector<float> velocity{0};
  for (const float g : kArrivals) nesterov_step(parameter, velocity, std::vector<float>{g}, {});
  CHECK(path_of({}, kArrivals, 1).back() == parameter[0]);
  CHECK(path_of({.delay = 4}, kArrivals, 1).back() == parameter[0]);  // nobody else gives to it
}

TEST_CASE("delayed Nesterov refuses arrays of other lengths", "[outer]") {
  const OuterDelayedNesterov optimizer({.delay = 2});
  std::vector<float> two(2);
  std::vector<float> three(3);
  const std::vector<std::span<float>> unequal{two, three};
  CHECK_THROWS_AS(optimizer.step({}, two, unequal, two), std::logic_error);
  CHECK_THROWS_AS(optimizer.step({}, two, std::vector<std::span<float>>{two}, two), std::logic_error);
}

}  // namespace dipaco
