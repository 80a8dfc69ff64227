#include <catch2/catch.hpp>

#include "core/trainer/schedule.hpp"

namespace dipaco {
namespace {

const InnerOptions kInner{.learning_rate = 0.8, .final_learning_rate = 0.2, .warmup = 4};

double rate(std::int64_t step) { return learning_rate_at(kInner, {step}, {12}); }

TEST_CASE("warmup rises linearly to the peak, which its last step reaches", "[trainer]") {
  CHECK(rate(0) == Approx(0.2));
  CHECK(rate(1) == Approx(0.4));
  CHECK(rate(3) == Approx(0.8));
}

TEST_CASE("the cosine starts at the peak, is halfway in its middle and ends at the final rate", "[trainer]") {
  CHECK(rate(4) == Approx(0.8));
  // A quarter of the way: 0.2 + 0.6 x (1 + cos(pi / 4)) / 2
  CHECK(rate(6) == Approx(0.7121320344));
  CHECK(rate(8) == Approx(0.5));
  CHECK(rate(12) == Approx(0.2));
}

TEST_CASE("steps behind the end keep the final rate", "[trainer]") { CHECK(rate(1000) == Approx(0.2)); }

TEST_CASE("without warmup the first step has the peak rate", "[trainer]") {
  CHECK(learning_rate_at({.learning_rate = 0.5, .warmup = 0}, {0}, {10}) == Approx(0.5));
}

TEST_CASE("a warmup longer than the run has a rate for every step", "[trainer]") {
  const InnerOptions inner{.learning_rate = 1.0, .warmup = 10};
  CHECK(learning_rate_at(inner, {4}, {5}) == Approx(0.5));
  CHECK(learning_rate_at(inner, {11}, {5}) == Approx(0.0).margin(1e-12));
}

}  // namespace
}  // namespace dipaco
