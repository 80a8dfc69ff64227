#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/growth/cost.hpp"
#include "tests/growth/growth.hpp"

using namespace dipaco::testing;
using Catch::Matchers::Contains;

TEST_CASE("what grows with its size doubles, what grows with its square is fourfold", "[growth]") {
  Growth linear(3, Measure::instructions);
  Growth square(3, Measure::instructions);
  for (std::size_t k = 0; k < 3; ++k) {
    const double size = std::exp2(static_cast<double>(k));
    const double bare = 100 * size;
    linear.add(k, bare + 3 * size, bare);
    square.add(k, bare + 3 * size * size, bare);
  }
  CHECK(linear.each_doubling() == Approx(2));
  CHECK(square.each_doubling() == Approx(4));
}

TEST_CASE("a part that grows with the square is found beside a larger one that does not", "[growth]") {
  Growth growth(3, Measure::instructions);  // own: 10 + 1, 20 + 4, 40 + 16; the last doubling is 56 / 24
  growth.add(0, 111, 100);
  growth.add(1, 224, 200);
  growth.add(2, 456, 400);
  CHECK(growth.each_doubling() == Approx(56.0 / 24.0));
  CHECK(growth.each_doubling() > 2.3);
}

TEST_CASE("of instructions the dearest doubling counts, of seconds the mean of all", "[growth]") {
  Growth instructions(3, Measure::instructions);  // own: 1, 3, 3
  instructions.add(0, 2, 1);
  instructions.add(1, 4, 1);
  instructions.add(2, 4, 1);
  CHECK(instructions.each_doubling() == Approx(3));
  Growth seconds(3, Measure::seconds);  // own: 1, 3 / 2 x 2, 3 / 4 x 4
  seconds.add(0, 2, 1);
  seconds.add(1, 5, 2);
  seconds.add(2, 7, 4);
  CHECK(seconds.each_doubling() == Approx(std::sqrt(3)));
}

TEST_CASE("of several runs of one size the least counts, of either program", "[growth]") {
  Growth growth(2, Measure::instructions);
  growth.add(0, 3, 1);
  growth.add(1, 9, 1.5);
  growth.add(1, 5, 4);
  growth.add(1, 7, 1);
  CHECK(growth.own(1) == Approx(4));  // 5 - 1
  CHECK(growth.each_doubling() == Approx(2));
  CHECK_THAT(growth.text(), Contains("5 against 1 (x 2)"));
}

TEST_CASE("seconds that a program spends on waiting for memory, as the bare one does, are no growth", "[growth]") {
  Growth linear(3, Measure::seconds);
  Growth square(3, Measure::seconds);
  for (std::size_t k = 0; k < 3; ++k) {
    const double size = std::exp2(static_cast<double>(k));
    const double slow = std::pow(1.4, static_cast<double>(k));  // each message takes 1.4 times as long
    linear.add(k, slow * 13 * size, slow * 10 * size);
    square.add(k, slow * (10 * size + 3 * size * size), slow * 10 * size);
  }
  CHECK(linear.each_doubling() == Approx(2));
  CHECK(square.each_doubling() == Approx(4));
}

TEST_CASE("a growth is beyond any bound while a size is not measured, or not above the bare program", "[growth]") {
  Growth missing(2, Measure::instructions);
  missing.add(1, 2, 1);
  CHECK(missing.each_doubling() > 1e300);
  Growth below(2, Measure::instructions);
  below.add(0, 1, 2);
  below.add(1, 2, 1);
  CHECK(below.each_doubling() > 1e300);
}

TEST_CASE("a program's processor time and count have its children's, and not those of its parent", "[growth]") {
  // Two shells, the inner of which counts; with this process busy before.
  double sum = 0;
  for (int i = 0; i < 20'000'000; ++i) sum += std::sqrt(i);
  REQUIRE(sum > 0);
  const std::string count = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; echo $i";
  const Ended idle = run_counted({"/bin/sh", "-c", "/bin/sh -c ':'; echo done"}, Counted::nanoseconds);
  const Ended busy = run_counted({"/bin/sh", "-c", "/bin/sh -c '" + count + "'; echo done"}, Counted::nanoseconds);
  CHECK(busy.output == "100000\ndone\n");
  CHECK(busy.seconds > 2 * idle.seconds);
  REQUIRE(busy.counted.has_value() == idle.counted.has_value());
  if (!busy.counted) {
    WARN("perf_event_open is not allowed here: only processor time is tested");
    return;
  }
  CHECK(*busy.counted > 2 * *idle.counted);
  // The count goes on while the machine gives the processor to others, the time does not: the quietest of three.
  double least = static_cast<double>(*busy.counted) * 1e-9 / busy.seconds;
  for (int again = 0; again < 2; ++again) {
    const Ended other = run_counted({"/bin/sh", "-c", "/bin/sh -c '" + count + "'; echo done"}, Counted::nanoseconds);
    least = std::min(least, static_cast<double>(*other.counted) * 1e-9 / other.seconds);
  }
  CHECK(least <= 1.1);
}

TEST_CASE("a program that fails is not measured, and what it said is told", "[growth]") {
  CHECK_THROWS_WITH(run_counted({"/bin/sh", "-c", "echo no such scenario >&2; exit 2"}), Contains("no such scenario"));
  CHECK_THROWS(run_counted({"/nowhere/program"}));
}
